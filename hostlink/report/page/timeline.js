// SPDX-License-Identifier: MIT
// The timeline: all rows on one canvas. It draws only the visible part, so its cost does not grow with the capture.

const BAR = 16; // height of a zone
const RULER = 22;
const STATE_COLORS = {runs: 'good', ready: 'warn', suspended: 'quiet'};
const LEGEND = [['state', 'good', 'runs'], ['state', 'warn', 'ready'], ['state', 'bad', 'waits for a lock'], ['state', 'quiet', 'waits for something else'],
  ['waits', 'bad', 'waits'], ['losses', 'bad', 'events lost'], ['repairs', 'bad', 'repaired']];

// ---- rows ----

const CURVE_HEIGHT = 40;
const LANE_HEIGHT = {core: BAR, state: 10, zones: BAR, samples: 9, frames: BAR, async: BAR, flows: 11, plot: CURVE_HEIGHT, memory: CURVE_HEIGHT,
  holds: BAR, waits: 10, messages: 11, repairs: 11, losses: 11};
const SINGLE_ROWS = {core: 'runs', samples: 'samples', repairs: 'repairs', losses: 'events lost'};

function rowName(lane) {
  return SINGLE_ROWS[lane.of] && !lane.track ? `core ${lane.core}` : nameOf(lane.name);
}

const ROW_ORDER = ['core', 'track', 'samples', 'losses', 'repairs', 'async', 'flows', 'frames', 'lock', 'memory', 'plot'];
const ARROWS_SHOWN = 500;
const KIND_ORDER = ['main', 'task', 'fiber', 'idle', 'interrupt'];

// The lanes of a track are one row, those of an object too.
function rowKey(lane) {
  if (lane.object) return `object ${lane.object}`;
  if (lane.of === 'async') return `async ${lane.session} ${lane.name}`;
  return lane.track ? `track ${lane.track}` : `${lane.of} ${lane.session} ${lane.core} ${lane.name}`;
}

function makeRow(lane) {
  const kind = lane.object ? 'lock' : lane.track ? 'track' : lane.of;
  const session = data.about.sessions > 1 ? `, session ${lane.session + 1}` : '';
  const detail = SINGLE_ROWS[lane.of] && !lane.track ? SINGLE_ROWS[lane.of] : kind === 'track' ? lane.kind : kind;
  return {kind, label: rowName(lane), track: lane.track || 0, detail: detail + session, lanes: [], core: lane.core, session: lane.session,
    order: ROW_ORDER.indexOf(kind), second: kind === 'track' ? KIND_ORDER.indexOf(lane.kind) : 0, folded: false};
}

function makeRows() {
  const rows = new Map();
  for (const lane of lanes) {
    const key = rowKey(lane);
    if (!rows.has(key)) rows.set(key, makeRow(lane));
    rows.get(key).lanes.push(lane);
    lane.row = rows.get(key);
  }
  const part = {state: 0, messages: 1, zones: 2, holds: 0, waits: 1, async: 0};
  for (const row of rows.values()) row.lanes.sort((a, b) => part[a.of] - part[b.of] || a.depth - b.depth);
  const perCore = (row) => (row.order < 5 ? row.core : Infinity);
  const list = [...rows.values()].sort((a, b) => a.session - b.session || perCore(a) - perCore(b) || a.order - b.order ||
    a.second - b.second || a.track - b.track || (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
  // A core that ran only one context has no row.
  return list.filter((row) => row.kind !== 'core' || row.lanes[0].pieces > 1);
}

class Timeline {
  constructor() {
    this.rows = makeRows();
    this.from = span.first;
    this.to = span.last;
    this.pointers = new Map();
    this.build();
    this.place();
    this.fit();
  }

  build() {
    this.canvas = element('canvas', {class: 'rows', tabindex: 0, role: 'img', 'aria-label':
      'Timeline. Arrows or A and D pan, Home and End go to its ends, W and S or + and - zoom, 0 shows all, F what is selected. ' +
      'Shift and arrows select the piece beside or in the next row, Enter goes to the next match.'});
    this.space = element('div', {class: 'space'});
    this.scroll = element('div', {class: 'scroll'}, this.canvas, this.space);
    this.overview = element('canvas', {class: 'overview'});
    this.search = element('input', {type: 'search', placeholder: 'Search names', 'aria-label': 'Search the timeline', id: 'find',
      on: {input: () => this.setSearch(this.search.value), keydown: (event) => {
        if (event.key === 'Enter') this.next(event.shiftKey ? -1 : 1);
      }}});
    this.matches = element('span', {class: 'muted', id: 'matches', role: 'status'});
    this.range = element('span', {class: 'range', id: 'range'});
    this.detail = element('div', {class: 'detail', id: 'detail', role: 'status', 'aria-live': 'polite'});
    this.tools = element('div', {class: 'tools'}, this.search, this.matches,
      button('‹', 'Previous match', () => this.next(-1)), button('›', 'Next match', () => this.next(1)),
      this.range,
      button('−', 'Zoom out', () => this.zoom(2)), button('+', 'Zoom in', () => this.zoom(0.5)),
      button('All', 'Show the whole capture', () => this.fit()));
    const drawn = new Set(lanes.filter((lane) => lane.of !== 'state' || lane.pieces > 1).map((lane) => lane.of));
    const told = LEGEND.filter(([of]) => drawn.has(of) && !(of === 'waits' && drawn.has('state')));
    const legend = element('div', {class: 'legend muted small'}, ...told.map(([, color, text]) => element('span', {}, element('i', {class: `bar ${color}`}), text)),
      element('span', {text: `${told.length ? 'any other' : 'each'} name has a colour of its own`}));
    this.node = element('div', {class: 'timeline'}, this.tools, this.overview, this.scroll, legend, this.detail);
    this.listen();
    redraws.push(() => this.draw());
  }

  listen() {
    const {canvas} = this;
    canvas.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    for (const [event, does] of Object.entries({keydown: 'key', pointerdown: 'press', pointermove: 'move', pointerup: 'release', dblclick: 'enter'})) {
      canvas.addEventListener(event, (what) => this[does](what));
    }
    canvas.addEventListener('pointercancel', (event) => this.pointers.delete(event.pointerId));
    canvas.addEventListener('pointerleave', () => showTip(null, null));
    this.scroll.addEventListener('scroll', () => this.later());
    const jump = (event) => {
      if (event.buttons === 0) return;
      const box = this.overview.getBoundingClientRect();
      this.center(span.first + (event.clientX - box.left) / box.width * (span.last - span.first));
    };
    this.overview.addEventListener('pointerdown', jump);
    this.overview.addEventListener('pointermove', jump);
    new ResizeObserver(() => this.later()).observe(this.scroll);
  }

  // Where each row and lane stands.
  place() {
    const above = this.left === 0 ? 14 : 4; // the label, where there is no column of them
    let y = RULER;
    for (const row of this.rows) {
      row.y = y;
      y += above;
      for (const lane of row.lanes) {
        const hidden = row.folded && (lane.of === 'zones' || lane.of === 'async') && lane.depth > 0;
        lane.y = hidden ? -1 : y;
        y += hidden ? 0 : LANE_HEIGHT[lane.of] + 1;
      }
      y = Math.max(y, row.y + (data.about.sessions > 1 && this.left > 0 ? 29 : 22)) + 3;
      row.height = y - row.y;
    }
    this.height = y;
    this.space.style.height = `${Math.max(0, y - 1)}px`;
    const shown = Math.min(y, Math.round(window.innerHeight * 0.72));
    this.scroll.style.height = `${shown}px`;
    this.canvas.style.height = `${shown}px`;
  }

  // ---- view ----

  get left() {
    return this.canvas.clientWidth < 600 ? 0 : 168;
  }

  get perPixel() {
    return (this.to - this.from) / Math.max(1, this.canvas.clientWidth - this.left);
  }

  timeAt(x) {
    return this.from + (x - this.left) * this.perPixel;
  }

  setView(from, to) {
    const whole = span.last - span.first;
    const width = Math.min(Math.max(to - from, 50), whole * 1.02);
    const start = Math.min(Math.max(from, span.first - whole * 0.01), span.last + whole * 0.01 - width);
    this.from = start;
    this.to = start + width;
    this.later();
  }

  fit() {
    const whole = span.last - span.first;
    this.setView(span.first - whole * 0.005, span.last + whole * 0.005);
  }

  zoom(factor, x = (this.left + this.canvas.clientWidth) / 2) {
    const time = this.timeAt(x);
    this.setView(time - (time - this.from) * factor, time + (this.to - time) * factor);
  }

  pan(part) {
    const by = (this.to - this.from) * part;
    this.setView(this.from + by, this.to + by);
  }

  center(time) {
    this.pan((time - (this.from + this.to) / 2) / (this.to - this.from));
  }

  // Shows a time of the tables: the piece that began then and took as long, in a row that has the name of its context.
  goTo(start, length, context, name) {
    let found = null;
    for (const lane of lanes) {
      if (context && rowName(lane) !== context && !(lane.of === 'core' || lane.of === 'frames')) continue;
      const i = lane.open().before(start);
      if (i < 0 || lane.end(i) < start) continue;
      const exact = lane.starts[i] === start && (!name || nameOf(lane.names[i]) === name) && (!context || lane.of !== 'core' || nameOf(lane.names[i]) === context) &&
        Math.abs(lane.lengths[i] - (length || lane.lengths[i])) <= 0.01 * length;
      if (exact && (!found || !found.exact)) found = {lane, i, exact};
      else if (!found && context && lane.of !== 'messages' && rowName(lane) === context) found = {lane, i, exact: false};
    }
    const size = Math.max(Math.max(length || 0, found && found.exact ? found.lane.lengths[found.i] : 0) || (span.last - span.first) / 50, 200);
    this.selected = found && found.exact ? found : null;
    this.mark = {from: start, to: start + (length || 0), of: name || context};
    this.setView(start - size * 0.3, start + size * 1.3);
    if (found) this.reveal(found.lane);
    this.showDetail();
    this.node.scrollIntoView({block: 'nearest'});
    this.canvas.focus({preventScroll: true});
  }

  reveal(lane) {
    if (lane.y < 0) {
      lane.row.folded = false;
      this.place();
    }
    const top = this.scroll.scrollTop + RULER;
    const bottom = this.scroll.scrollTop + this.scroll.clientHeight - 2 * BAR;
    if (lane.y < top || lane.y > bottom) this.scroll.scrollTop = lane.y - this.scroll.clientHeight / 3;
  }

  // ---- search ----

  setSearch(text) {
    const wanted = this.wantedText = text.toLowerCase();
    this.wanted = wanted === '' ? null : new Set(names.flatMap((name, i) => (name.toLowerCase().includes(wanted) ? [i] : [])));
    let count = 0;
    for (const lane of this.searched()) for (let i = 0; i < lane.pieces; i++) if (this.isWanted(lane, i)) count += lane.count(i);
    this.matches.textContent = this.wanted ? `${formatCount(count)} found` : '';
    this.later();
  }

  searched() {
    return this.wanted ? this.rows.flatMap((row) => row.lanes).map((lane) => lane.open()) : [];
  }

  // A piece of that name, a message with that text, or the first piece of a row that has the name.
  isWanted(lane, i) {
    if (lane.of === 'messages') return messageAt(lane, i).toLowerCase().includes(this.wantedText);
    return (!lane.curve && this.wanted.has(lane.names[i])) || (i === 0 && lane === lane.row.lanes[0] && this.wanted.has(lane.name));
  }

  // The next match after the selected piece, or after the left edge of the view; after the last one comes the first.
  next(direction, here = this.selected ? this.selected.lane.starts[this.selected.i] : direction > 0 ? this.from : this.to) {
    let best = null;
    for (const lane of this.searched()) {
      let i = lane.before(here);
      if (direction > 0) i++;
      while (i >= 0 && i < lane.pieces && (!this.isWanted(lane, i) || lane.starts[i] === here)) i += direction;
      if (i < 0 || i >= lane.pieces) continue;
      if (!best || (lane.starts[i] - best.lane.starts[best.i]) * direction < 0) best = {lane, i};
    }
    if (!best) {
      if (this.wanted && Number.isFinite(here)) this.next(direction, -direction * Infinity);
      return;
    }
    this.select(best, true);
    if (best.lane.lengths[best.i] > 0) this.zoomTo(best);
  }

  select(found, move) {
    this.selected = found;
    this.mark = null;
    if (found && move) {
      const start = found.lane.starts[found.i];
      if (start < this.from || found.lane.end(found.i) > this.to) this.center(start + found.lane.lengths[found.i] / 2);
      this.reveal(found.lane);
    }
    this.showDetail();
    this.later();
  }

  // ---- hit test ----

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top + this.scroll.scrollTop, top: event.clientY - box.top};
  }

  rowAt(y) {
    return this.rows.find((row) => y >= row.y && y < row.y + row.height);
  }

  pieceAt({x, y, top}) {
    const row = top > RULER && x >= this.left ? this.rowAt(y) : null;
    if (!row) return null;
    // The nearest lane: some are less high than a finger is.
    const away = (one) => (one.y < 0 ? Infinity : Math.max(one.y - y, y - one.y - LANE_HEIGHT[one.of]));
    const lane = row.lanes.reduce((best, one) => (away(one) < away(best) ? one : best));
    const reach = (this.left === 0 ? 12 : 4) * this.perPixel;
    const time = this.timeAt(x);
    const i = lane.open().before(time);
    if (lane.curve) return i >= 0 ? {lane, i} : null;
    if (i >= 0 && lane.end(i) >= time) return {lane, i};
    // Takes a piece near the pointer: short pieces are a pixel wide.
    const near = [i, i + 1].filter((one) => one >= 0 && one < lane.pieces);
    const distance = (one) => Math.min(Math.abs(lane.starts[one] - time), Math.abs(lane.end(one) - time));
    near.sort((a, b) => distance(a) - distance(b));
    return near.length > 0 && distance(near[0]) <= reach ? {lane, i: near[0]} : null;
  }

  // A line of text for each fact.
  describe({lane, i}) {
    const several = lane.count(i) > 1;
    const lines = [];
    if (lane.curve) {
      const show = lane.of === 'memory' ? formatBytes : formatValue;
      lines.push(`${rowName(lane)}: ${several ? `${show(lane.low[i])} to ${show(lane.high[i])}` : show(lane.last[i])}`);
    } else if (lane.of === 'messages') {
      lines.push(messageAt(lane, i));
    } else {
      lines.push(several ? `${formatCount(lane.count(i))} short ones, the longest: ${nameOf(lane.names[i])}` : nameOf(lane.names[i]));
    }
    lines.push(`at ${formatAt(lane.starts[i])}`);
    if (lane.lengths[i] > 0) lines.push(several ? `${formatTime(lane.busy[i])} of ${formatTime(lane.lengths[i])}` : formatTime(lane.lengths[i]));
    lines.push(lane.row ? `${lane.row.label} (${lane.row.detail})` : '');
    return lines;
  }

  showDetail() {
    const found = this.selected;
    if (!found) {
      const {mark} = this;
      this.detail.replaceChildren(mark ? element('span', {text: `${mark.of ? `${shorten(mark.of)}: ` : ''}${formatAt(mark.from)}, ${formatTime(mark.to - mark.from)}`})
        : element('span', {class: 'muted', text: 'Click a piece for its figures. Drag to pan, shift and drag to measure, ctrl and wheel or a pinch to zoom.'}));
      return;
    }
    const {lane, i} = found;
    const facts = this.describe(found);
    const site = data.names[lane.names[i]];
    this.detail.replaceChildren(element('strong', {text: shorten(facts[0])}), ...facts.slice(1).map((text) => element('span', {text})),
      ...(site && site[1] ? [element('span', {class: 'muted', text: `${shorten(site[1])}:${site[2]}`})] : []),
      button('Zoom to it', '', () => this.zoomTo(found)));
  }

  // The piece beside the selected one, or that of another row at its time.
  step(along, across) {
    const all = this.rows.flatMap((row) => row.lanes).filter((one) => one.y >= 0 && one.pieces > 0);
    const {lane, i} = this.selected || {};
    const to = lane && across === 0 ? lane : all[all.indexOf(lane) + (across || 1)];
    const at = to && (to === lane ? i + along : Math.max(0, to.open().before(lane ? lane.starts[i] : this.from)));
    if (to && at >= 0 && at < to.pieces) this.select({lane: to, i: at}, true);
  }

  zoomTo({lane, i}) {
    const size = Math.max(lane.lengths[i], 200);
    this.setView(lane.starts[i] - size * 0.3, lane.starts[i] + size * 1.3);
  }

  // ---- input ----

  wheel(event) {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoom(1.0015 ** event.deltaY, this.at(event).x);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / Math.max(1, this.canvas.clientWidth - this.left));
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {ArrowLeft: () => this.pan(-0.2), a: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), d: () => this.pan(0.2),
      w: () => this.zoom(0.6), '+': () => this.zoom(0.6), '=': () => this.zoom(0.6), s: () => this.zoom(1 / 0.6), '-': () => this.zoom(1 / 0.6),
      0: () => this.fit(), Enter: () => this.next(event.shiftKey ? -1 : 1), f: () => this.selected && this.zoomTo(this.selected),
      '/': () => this.search.focus(), Home: () => this.center(span.first), End: () => this.center(span.last),
      ShiftArrowLeft: () => this.step(-1, 0), ShiftArrowRight: () => this.step(1, 0), ShiftArrowUp: () => this.step(0, -1), ShiftArrowDown: () => this.step(0, 1)};
    const action = actions[event.shiftKey && event.key.startsWith('Arrow') ? `Shift${event.key}` : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.at(event));
    this.start = {...this.at(event), moved: false, measures: event.shiftKey};
    if (event.shiftKey) this.mark = {from: this.timeAt(this.start.x), to: this.timeAt(this.start.x)};
  }

  move(event) {
    const here = this.at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      const found = this.pieceAt(here);
      showTip(event, found ? this.describe(found) : null);
      this.canvas.style.cursor = here.x < this.left ? 'pointer' : 'default';
      return;
    }
    if (this.pointers.size === 2) this.pinch(event.pointerId, before, here);
    else if (this.start.measures) {
      this.mark.to = this.timeAt(here.x);
      this.later();
    } else if (this.start.moved || Math.abs(here.x - this.start.x) > 3) {
      const by = (before.x - here.x) * this.perPixel;
      this.setView(this.from + by, this.to + by);
    }
    this.start.moved = this.start.moved || Math.abs(here.x - this.start.x) > 3;
    this.pointers.set(event.pointerId, here);
    showTip(null, null);
  }

  // The times under the two fingers stay there.
  pinch(moving, before, here) {
    const other = [...this.pointers].find(([id]) => id !== moving)[1];
    const was = Math.max(8, Math.abs(before.x - other.x));
    const is = Math.max(8, Math.abs(here.x - other.x));
    this.start.moved = true;
    this.zoom(was / is, (here.x + other.x) / 2);
    const by = (before.x - here.x) / 2 * this.perPixel;
    this.setView(this.from + by, this.to + by);
  }

  release(event) {
    const here = this.at(event);
    this.pointers.delete(event.pointerId);
    if (!this.start || this.pointers.size > 0) return;
    if (this.start.measures) {
      if (this.mark.to < this.mark.from) this.mark = {from: this.mark.to, to: this.mark.from};
      this.selected = null;
      this.showDetail();
    } else if (!this.start.moved && here.x < this.left) {
      const row = this.rowAt(here.y);
      if (row) {
        row.folded = !row.folded;
        this.place();
      }
    } else if (!this.start.moved) {
      this.select(this.pieceAt(here), false);
    }
    this.later();
  }

  enter(event) {
    const found = this.pieceAt(this.at(event));
    if (found) this.zoomTo(found);
  }

  // ---- drawing ----

  later() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      this.draw();
    });
  }

  draw() {
    const {context, width, height} = openCanvas(this.canvas);
    this.context = context;
    this.scale = 1 / this.perPixel;
    const top = this.scroll.scrollTop;
    this.drawGrid(width, height);
    for (const row of this.rows) {
      if (row.y + row.height < top || row.y > top + height) continue;
      context.fillStyle = colors.line;
      context.fillRect(0, row.y + row.height - top - 1, width, 0.5);
      for (const lane of row.lanes) if (lane.y >= 0) this.drawLane(lane, lane.y - top, width);
      this.drawLabel(row, row.y - top);
    }
    this.drawArrows(top, width);
    this.drawMark(height);
    this.drawRuler(width);
    this.drawOverview();
    this.range.textContent = `${formatTime(this.to - this.from)} shown`;
    this.canvas.dataset.from = this.from;
    this.canvas.dataset.to = this.to;
  }

  // Draws arrows from sends of flows to their receives: at most ARROWS_SHOWN of those in view, evenly chosen.
  drawArrows(top, width) {
    const {context} = this;
    const middle = new Map();
    for (const row of this.rows) {
      const lane = row.lanes.find((one) => one.of === 'zones' && one.y >= 0);
      if (row.track) middle.set(row.track, (lane ? lane.y + BAR / 2 : row.y + 8) - top);
    }
    const seen = data.timeline.arrows.filter(([from, to, a, b]) => to >= this.from && from <= this.to && middle.has(a) && middle.has(b));
    const step = Math.max(1, Math.ceil(seen.length / ARROWS_SHOWN));
    this.canvas.dataset.arrows = Math.ceil(seen.length / step);
    context.save();
    context.beginPath();
    context.rect(this.left, RULER, width - this.left, this.canvas.clientHeight);
    context.clip();
    context.strokeStyle = context.fillStyle = colors.accent;
    for (let i = 0; i < seen.length; i += step) {
      const [from, to, a, b, name] = seen[i];
      context.globalAlpha = this.wanted && !this.wanted.has(name) ? 0.1 : 0.75;
      this.drawArrow(this.x(from), middle.get(a), this.x(to), middle.get(b));
    }
    context.restore();
  }

  drawArrow(x1, y1, x2, y2) {
    const {context} = this;
    const bend = Math.min(60, Math.max(8, (x2 - x1) / 2));
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    context.stroke();
    context.beginPath();
    context.moveTo(x2, y2);
    context.lineTo(x2 - 7, y2 - 3.5);
    context.lineTo(x2 - 7, y2 + 3.5);
    context.fill();
  }

  x(time) {
    return this.left + (time - this.from) * this.scale;
  }

  drawLabel(row, y) {
    const {context, left} = this;
    if (left === 0) {
      context.fillStyle = colors.ink;
      context.font = '10px system-ui, sans-serif';
      fitText(context, `${shorten(row.label, 60)} (${row.detail})`, 0, y + 7, 250);
      context.font = '11px system-ui, sans-serif';
      return;
    }
    context.fillStyle = colors.panel;
    context.fillRect(0, y, left - 1, row.height - 1);
    context.fillStyle = colors.ink;
    const fold = row.lanes.filter((lane) => lane.of === 'zones' || lane.of === 'async').length > 1 ? (row.folded ? '▸ ' : '▾ ') : '';
    fitText(context, fold + shorten(row.label, 60), 6, y + 12, row.height < 30 ? left - 18 - context.measureText(row.detail).width : left - 8);
    context.fillStyle = colors.muted;
    if (row.height < 30) {
      context.textAlign = 'right';
      context.fillText(row.detail, left - 8, y + 12);
      context.textAlign = 'left';
    } else {
      fitText(context, row.detail, 6, y + 25, left - 8);
    }
  }

  drawGrid(width, height) {
    const {context} = this;
    context.fillStyle = colors.line;
    for (const time of this.ticks(width).times) context.fillRect(Math.round(this.x(time)), RULER, 0.5, height);
  }

  ticks(width) {
    const step = niceStep(this.to - this.from, (width - this.left) / 110);
    const times = [];
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) times.push(time);
    return {step, times};
  }

  drawRuler(width) {
    const {context} = this;
    const {step, times} = this.ticks(width);
    const [unit, word] = step >= 1e9 ? [1e9, 's'] : step >= 1e6 ? [1e6, 'ms'] : step >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];
    const decimals = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
    context.fillStyle = colors.panel;
    context.fillRect(0, 0, width, RULER);
    context.fillStyle = colors.line;
    context.fillRect(0, RULER - 1, width, 1);
    context.fillStyle = colors.muted;
    const texts = times.map((time) => `${formatCount(Number((time / unit).toFixed(decimals)))} ${word}`);
    Object.assign(this.canvas.dataset, {unit: word, ticks: texts.join('; ')});
    times.map((time) => this.x(time)).forEach((x, i) => {
      if (x >= this.left && x < width - 40) context.fillText(texts[i], x + 4, RULER / 2);
    });
  }

  drawMark(height) {
    const {context, mark} = this;
    if (!mark) return;
    const from = this.x(Math.min(mark.from, mark.to));
    const to = this.x(Math.max(mark.from, mark.to));
    context.fillStyle = colors.accent;
    context.globalAlpha = 0.12;
    context.fillRect(from, RULER, Math.max(1, to - from), height);
    context.globalAlpha = 1;
    context.fillRect(from, RULER, 1, height);
    context.fillRect(to, RULER, 1, height);
  }

  drawLane(lane, y, width) {
    lane.open();
    this.context.save();
    this.context.beginPath();
    this.context.rect(this.left, RULER, width - this.left, this.canvas.clientHeight);
    this.context.clip();
    if (lane.curve) this.drawCurve(lane, y, width);
    else if (['messages', 'repairs', 'flows'].includes(lane.of)) this.drawMarks(lane, y);
    else this.drawPieces(lane, y);
    this.context.restore();
  }

  colorOf(lane, i) {
    const name = nameOf(lane.names[i]);
    if (lane.of === 'state') return colors[STATE_COLORS[name] || (name.startsWith('waits: lock') ? 'bad' : 'quiet')];
    if (lane.of === 'losses' || lane.of === 'waits') return colors.bad;
    return colorOf(name);
  }

  // Pieces narrower than a pixel are drawn as the part of it that they fill, found by the sums: one step a pixel.
  drawPieces(lane, y) {
    const {context} = this;
    const tall = LANE_HEIGHT[lane.of];
    const labels = tall >= BAR;
    let i = lane.from(this.from);
    while (i < lane.pieces && lane.starts[i] <= this.to) {
      const from = Math.max(this.x(lane.starts[i]), this.left - 2);
      const to = Math.min(this.x(lane.end(i)), 1e5);
      if (to - from < 1.5) {
        const edge = Math.floor(from) + 1;
        const after = Math.max(i + 1, lane.from(this.timeAt(edge)));
        const filled = (lane.sums[after] - lane.sums[i]) * this.scale;
        const middle = (i + after - 1) >> 1;
        context.globalAlpha = this.dims(lane, i, after) ? 0.15 : Math.min(1, 0.45 + filled * 0.55);
        context.fillStyle = this.colorOf(lane, middle);
        context.fillRect(Math.floor(from), y, Math.max(1, Math.min(1.5, to - from)), tall);
        i = after;
        continue;
      }
      const several = lane.count(i) > 1;
      context.globalAlpha = this.dims(lane, i, i + 1) ? 0.2 : several ? 0.35 + 0.5 * lane.busy[i] / Math.max(1, lane.lengths[i]) : 1;
      context.fillStyle = this.colorOf(lane, i);
      context.fillRect(from, y, Math.max(1, to - from - 0.5), tall);
      if (labels && to - from > 18) {
        context.fillStyle = colors.ink;
        fitText(context, several ? `${lane.count(i)} ×` : nameOf(lane.names[i]), Math.max(from, this.left), y + tall / 2 + 0.5, to - Math.max(from, this.left));
      }
      i++;
    }
    context.globalAlpha = 1;
    this.drawSelected(lane, y, tall);
  }

  dims(lane, from, to) {
    if (!this.wanted || this.wanted.has(lane.name)) return false;
    for (let i = from; i < to && i < from + 32; i++) if (this.isWanted(lane, i)) return false;
    return true;
  }

  drawSelected(lane, y, tall) {
    if (!this.selected || this.selected.lane !== lane) return;
    const {context} = this;
    const from = this.x(lane.starts[this.selected.i]);
    const to = this.x(lane.end(this.selected.i));
    context.strokeStyle = colors.accent;
    context.lineWidth = 2;
    context.strokeRect(from - 0.5, y + 0.5, Math.max(2, to - from), tall - 1);
  }

  drawMarks(lane, y) {
    const {context} = this;
    const levels = {warning: 'warn', error: 'bad', fatal: 'bad', crash: 'bad'};
    let last = -10;
    for (let i = lane.from(this.from - 1); i < lane.pieces && lane.starts[i] <= this.to; i++) {
      const x = this.x(lane.starts[i]);
      const level = levels[nameOf(lane.names[i])];
      if (x - last < 2 && !level) {
        i = Math.max(i, lane.before(this.timeAt(last + 2)));
        continue;
      }
      last = x;
      context.fillStyle = colors[lane.of === 'repairs' ? 'bad' : level || 'muted'];
      context.beginPath();
      context.moveTo(x, y + 1);
      context.lineTo(x + 4, y + 5.5);
      context.lineTo(x, y + 10);
      context.lineTo(x - 4, y + 5.5);
      context.fill();
    }
    this.drawSelected(lane, y, 11);
  }

  drawCurve(lane, y) {
    const bounds = curveBounds(lane);
    drawCurve(this.context, lane, {x: (time) => this.x(time), timeOf: (x) => this.timeAt(x), from: this.from, to: this.to, y, height: CURVE_HEIGHT, ...bounds});
    const {context} = this;
    const show = lane.of === 'memory' ? formatBytes : formatValue;
    context.font = '9px system-ui, sans-serif';
    fillLabel(context, show(bounds.high), this.left + 3, y + 6);
    fillLabel(context, show(bounds.low), this.left + 3, y + CURVE_HEIGHT - 5);
    context.font = '11px system-ui, sans-serif';
  }

  // The whole capture, drawn once, and the visible part.
  drawOverview() {
    const {context, width, height} = openCanvas(this.overview);
    const key = `${width} ${isDark()}`;
    if (this.picture?.key !== key) {
      this.drawZones(context, width, height);
      const copy = document.createElement('canvas');
      copy.width = this.overview.width;
      copy.height = this.overview.height;
      if (copy.width > 0) copy.getContext('2d').drawImage(this.overview, 0, 0);
      this.picture = {key, copy};
    } else if (width > 0) {
      context.drawImage(this.picture.copy, 0, 0, width, height);
    }
    const scale = (span.last - span.first) / width;
    const from = (this.from - span.first) / scale;
    const to = (this.to - span.first) / scale;
    context.fillStyle = colors.ink;
    context.globalAlpha = 0.12;
    context.fillRect(0, 0, from, height);
    context.fillRect(to, 0, width - to, height);
    context.globalAlpha = 1;
    context.strokeStyle = colors.accent;
    context.lineWidth = 1.5;
    context.strokeRect(Math.max(0.75, from), 0.75, Math.max(3, Math.min(to, width) - Math.max(0, from) - 1.5), height - 1.5);
  }

  // How much of each pixel's time the outermost zones took.
  drawZones(context, width, height) {
    const scale = (span.last - span.first) / width;
    const hasZones = lanes.some((lane) => lane.of === 'zones');
    const shown = this.rows.flatMap((row) => row.lanes.filter((lane) => lane.of === (hasZones ? 'zones' : 'core') && lane.depth === 0)).slice(0, 12);
    const tall = Math.max(2, (height - 4) / Math.max(1, shown.length));
    shown.forEach((lane, row) => {
      lane.open();
      for (let x = 0; x < width; x += 2) {
        const from = span.first + x * scale;
        const first = lane.from(from);
        const after = lane.before(from + 2 * scale) + 1;
        if (after <= first) continue;
        const filled = Math.min(1, (lane.sums[after] - lane.sums[first]) / (2 * scale));
        context.globalAlpha = 0.25 + 0.75 * filled;
        context.fillStyle = colorOf(nameOf(lane.names[(first + after - 1) >> 1]));
        context.fillRect(x, 2 + row * tall, 2, tall - 0.5);
      }
    });
    context.globalAlpha = 1;
  }
}

const messageRows = new Map();

// The text that a mark stands for, of the table of messages.
function messageAt(lane, i) {
  for (const row of messageRows.size === 0 ? data.tables.messages : []) messageRows.set(`${row.at_ns} ${row.context}`, row);
  const text = messageRows.get(`${lane.starts[i]} ${rowName(lane)}`);
  const level = nameOf(lane.names[i]);
  return text ? `${level}: ${text.text}` : `message, ${level}`;
}
