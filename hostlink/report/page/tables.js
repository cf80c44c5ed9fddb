// SPDX-License-Identifier: MIT
// Tables: of the rows that hostlink's own tables have, so that a figure is the same in the page, in CSV and in JSON.

const HEADS = {name: 'name', counts: 'count', total_ns: 'total', self_ns: 'self', mean_ns: 'mean', min_ns: 'min', p50_ns: 'p50', p99_ns: 'p99',
  max_ns: 'max', std_ns: 'deviation', total_perc: 'share', src_file: 'file', src_line: 'line', rate_hz: 'per second', core_percent: 'of its core',
  run_ns: 'ran', run_percent: 'share', at_ns: 'at', part_ns: 'for', live: 'live blocks', live_bytes: 'live', bytes: 'allocated', most_bytes: 'peak', most_at_ns: 'peak at',
  peak: 'most in 10 ms', usual: 'usually', peak_at_ns: 'from', contended_percent: 'contended', deepest: 'nested', repaired: 'repaired',
  silence_ns: 'no event for',
  mean_percent: 'change', share_change_percent: 'change', total_change_ns: 'change of the sum'};

function headOf(key) {
  return HEADS[key] || key.replace(/_(ns|bytes|percent|perc|hz)$/, '').replace(/_/g, ' ');
}

function isAt(key) {
  return key === 'at_ns' || key.endsWith('_at_ns');
}

function formatCell(key, value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return shorten(String(value));
  if (isAt(key)) return formatAt(value);
  if (key.endsWith('_ns')) return formatTime(value);
  if (key === 'bytes' || key.endsWith('_bytes')) return formatBytes(value);
  if (key.endsWith('perc') || key.endsWith('percent')) return formatPercent(value);
  if (key === 'rate_hz') return formatValue(Number(value.toPrecision(4)));
  return Number.isInteger(value) ? formatCount(value) : formatValue(value);
}

// Where a time leads: the length and the context of its row, as far as the row has them.
const LENGTH_OF = {max_at_ns: 'max_ns', ready_max_at_ns: 'ready_max_ns', lock_max_at_ns: 'lock_max_ns'};

function placeOf(key, row) {
  const length = key === 'at_ns' ? row.total_ns || row.silence_ns || row.took_ns || 0
    : key === 'peak_at_ns' ? 1e7 : row[LENGTH_OF[key]] || row[key.replace('_at_ns', '_ns')] || 0;
  const context = row.on || row[key.replace('_at_ns', '_on')] || row.max_on || row.context || row.task || '';
  return {start: row[key], length, context, name: row.zone || ''};
}

function goToRow(key, row) {
  const place = placeOf(key, row);
  timeline.goTo(place.start, place.length, place.context, place.name);
}

// Columns that no row fills are left out.
function keysOf(rows, wanted, unwanted) {
  const keys = wanted ? [...wanted] : [];
  for (const row of rows.slice(0, 50)) for (const key of Object.keys(row)) if (!keys.includes(key)) keys.push(key);
  const filled = (key) => rows.some((row) => row[key] !== null && row[key] !== undefined && row[key] !== '');
  return keys.filter((key) => !unwanted.includes(key) && filled(key));
}

const ROWS_AT_ONCE = 200;
const RUNS_AT_ONCE = 8;

class Table {
  // options: name (data-table), rows, first (keys that come first), without (keys), search, extra (columns: {head, cell(row)}),
  // open(row) -> element below the row, mark(row) -> its class.
  constructor(options) {
    Object.assign(this, {first: null, without: [], extra: [], search: false}, options);
    this.keys = keysOf(this.rows, this.first, this.without);
    this.limit = ROWS_AT_ONCE;
    this.body = element('tbody');
    this.head = element('tr', {}, ...this.keys.map((key) => this.headCell(key)), ...this.extra.map((one) => element('th', {scope: 'col', text: one.head})));
    this.more = button('', '', () => {
      this.limit *= 5;
      this.show();
    });
    this.more.className = 'more';
    const table = element('table', {'data-table': this.name}, element('thead', {}, this.head), this.body);
    this.node = element('div', {class: 'tablebox'}, this.search ? this.searchBox() : null, element('div', {class: 'wide-scroll'}, table), this.more);
    this.show();
  }

  headCell(key) {
    const numeric = this.rows.some((row) => typeof row[key] === 'number');
    return element('th', {scope: 'col', class: numeric ? 'number' : '', 'data-key': key},
      element('button', {type: 'button', text: headOf(key), title: `${key}: sort`, on: {click: () => this.sortBy(key)}}));
  }

  searchBox() {
    this.wanted = '';
    return element('input', {type: 'search', class: 'filter', placeholder: 'Filter', 'aria-label': `Filter ${this.name}`, on: {input: (event) => {
      this.wanted = event.target.value.toLowerCase();
      this.show();
    }}});
  }

  // Largest first, names from A to Z; once more: the other way.
  sortBy(key) {
    this.reverse = this.sorted === key && !this.reverse;
    this.sorted = key;
    const numeric = this.rows.some((row) => typeof row[key] === 'number');
    const order = (a, b) => {
      const [x, y] = [a[key], b[key]];
      if (numeric) return (y ?? -Infinity) - (x ?? -Infinity);
      return String(x ?? '') < String(y ?? '') ? -1 : String(x ?? '') > String(y ?? '') ? 1 : 0;
    };
    this.rows = [...this.rows].sort((a, b) => (this.reverse ? -order(a, b) : order(a, b)));
    for (const cell of this.head.children) {
      cell.setAttribute('aria-sort', cell.dataset.key !== key ? 'none' : (numeric !== this.reverse) ? 'descending' : 'ascending');
    }
    this.show();
  }

  show() {
    const rows = this.wanted ? this.rows.filter((row) => Object.values(row).some((value) => typeof value === 'string' &&
      value.toLowerCase().includes(this.wanted))) : this.rows;
    this.body.replaceChildren(...rows.slice(0, this.limit).map((row) => this.rowNode(row)));
    this.more.hidden = rows.length <= this.limit;
    this.more.textContent = `${formatCount(Math.max(0, rows.length - this.limit))} more rows`;
  }

  rowNode(row) {
    const node = element('tr', {}, ...this.keys.map((key) => this.cell(key, row)), ...this.extra.map((one) => element('td', {}, one.cell(row))));
    if (this.mark && this.mark(row)) node.classList.add(this.mark(row));
    if (!this.open) return node;
    node.classList.add('opens');
    node.tabIndex = 0;
    const toggle = () => this.toggle(node, row);
    node.addEventListener('click', (event) => {
      if (!event.target.closest('button, a')) toggle();
    });
    node.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.target === node) toggle();
    });
    return node;
  }

  toggle(node, row) {
    if (node.nextSibling?.classList.contains('opened')) node.nextSibling.remove();
    else node.after(element('tr', {class: 'opened'}, element('td', {colspan: this.keys.length + this.extra.length}, this.open(row))));
  }

  cell(key, row) {
    const value = row[key];
    const text = formatCell(key, value);
    if (typeof value === 'number' && isAt(key)) {
      return element('td', {class: 'number', 'data-value': value}, element('button', {type: 'button', class: 'link', text,
        title: 'Show on the timeline', on: {click: () => goToRow(key, row)}}));
    }
    if (typeof value === 'number') return element('td', {class: 'number', 'data-value': value, text, title: key.endsWith('_ns') ? `${value} ns` : null});
    const long = typeof value === 'string' && value.length > 40;
    return element('td', {class: long ? 'text long' : 'text', title: long ? shorten(value, 1000) : null}, element('bdi', {text}));
  }
}

// A share of the largest, as a bar.
function shareBar(part) {
  const bar = element('i', {class: 'bar'});
  bar.style.width = `${Math.max(0, Math.min(100, part * 100)).toFixed(1)}%`;
  return element('span', {class: 'share'}, bar);
}

// ---- zones ----

function zoneTable() {
  const {zones} = data.tables;
  const most = zones.reduce((sum, row) => Math.max(sum, row.self_ns), 1);
  const steps = new Map(zones.map((row, i) => [row, histogramSteps(data.histograms[i] || [])]));
  return new Table({
    name: 'zones', rows: zones, search: true, without: ['std_ns', 'src_file', 'src_line', 'total_perc'],
    first: ['name', 'counts', 'total_ns', 'self_ns', 'mean_ns', 'min_ns', 'p50_ns', 'p99_ns', 'max_ns', 'repaired'],
    extra: [
      {head: 'self, of the most', cell: (row) => shareBar(row.self_ns / most)},
      {head: 'how long', cell: (row) => chart('spark', (view) => drawHistogram(view, steps.get(row), false))},
    ],
    open: (row) => zoneDetail(row, steps.get(row)),
  });
}

function longestOf(name) {
  let best = null;
  for (const lane of lanes) {
    if (lane.of !== 'zones') continue;
    lane.open();
    for (let i = 0; i < lane.pieces; i++) {
      if (nameOf(lane.names[i]) === name && lane.count(i) === 1 && (!best || lane.lengths[i] > best.lane.lengths[best.i])) best = {lane, i};
    }
  }
  return best;
}

function zoneDetail(row, steps) {
  const show = () => {
    const best = longestOf(row.name);
    if (best) timeline.goTo(best.lane.starts[best.i], best.lane.lengths[best.i], rowName(best.lane), row.name);
  };
  const find = () => {
    timeline.search.value = row.name;
    timeline.setSearch(row.name);
    timeline.node.scrollIntoView();
  };
  return element('div', {class: 'zone'},
    element('div', {class: 'facts'},
      element('span', {class: 'muted', text: row.src_file ? `${shorten(row.src_file)}:${row.src_line}` : ''}),
      element('span', {text: `${formatPercent(row.total_perc)} of the time, deviation ${formatTime(row.std_ns)}`}),
      button('Longest run', 'Show it on the timeline', show), button('Find all', 'Search the timeline for it', find)),
    chart('histogram', (view) => drawHistogram(view, steps, true)),
    element('p', {class: 'muted small', text: 'How often a run took so long; the height is the square root of the count, time is logarithmic.'}));
}

// ---- the longest runs ----

function longestList() {
  const runs = new Map();
  for (const row of data.tables.longest) {
    if (!runs.has(row.rank)) runs.set(row.rank, []);
    runs.get(row.rank).push(row);
  }
  const nodes = [...runs.values()].map((parts) => {
    const run = parts[0];
    const list = [...parts].sort((a, b) => b.part_ns - a.part_ns).slice(0, 6).map((part) => element('li', {},
      shareBar(part.part_ns / Math.max(1, run.total_ns)),
      element('span', {class: 'number', text: formatTime(part.part_ns)}),
      element('span', {}, `${part.part} `, element('bdi', {text: shorten(part.name, 80)}), part.count > 1 ? ` ${formatCount(part.count)} times` : '',
        part.held_by ? `, held by ${shorten(part.held_by, 80)}` : '')));
    return element('li', {class: 'run'},
      element('div', {}, element('strong', {class: 'number', 'data-value': run.total_ns, text: formatTime(run.total_ns)}), ' ', element('bdi', {text: shorten(run.zone, 80)}),
        element('span', {class: 'muted', text: ` on ${shorten(run.on, 80)} `}),
        element('button', {type: 'button', class: 'link', text: formatAt(run.at_ns), title: 'Show on the timeline', on: {click: () => goToRow('at_ns', run)}})),
      element('ul', {class: 'parts'}, ...list));
  });
  const list = element('ol', {class: 'runs'}, ...nodes.slice(0, RUNS_AT_ONCE));
  const more = button(`${nodes.length - RUNS_AT_ONCE} more`, '', () => {
    list.append(...nodes.slice(RUNS_AT_ONCE));
    more.remove();
  });
  return element('div', {}, list, nodes.length > RUNS_AT_ONCE ? more : null);
}
