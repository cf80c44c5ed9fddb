// SPDX-License-Identifier: MIT
// The page: sections in the order of likely questions; sections without data are left out.

readColors();
const timeline = new Timeline();
const {tables, texts, about} = data;

const nav = document.getElementById('nav');
const main = document.getElementById('main');
main.replaceChildren();

function section(id, title, ...content) {
  const node = element('section', {id, 'aria-labelledby': `${id}-title`}, element('h2', {id: `${id}-title`, text: title}), ...content);
  main.append(node);
  nav.append(element('a', {href: `#${id}`, text: title}));
  return node;
}

function note(text) {
  return element('p', {class: 'muted small', text});
}

// ---- the head ----

function figure(label, value, title) {
  return element('div', {class: 'figure', title}, element('b', {text: value}), element('span', {text: label}));
}

// The lines of hostlink's text that name a cause: those below its tables, each with the section that has details.
function findings() {
  const zones = texts.zones.split('\n');
  // The repairs, by place, take several lines, which the text of the tables has.
  const end = zones.findIndex((line) => line.startsWith('repaired, '));
  const below = zones.slice(zones.indexOf('') + 1, end < 0 ? undefined : end).filter((text) => !data.warnings.some((warning) => text.endsWith(warning)));
  const sections = [[/^priority inversion|^deadlock|^deadline|^starvation/, 'tasks'], [/^interrupt storm/, 'interrupts'], [/^leak/, 'stacks'], [/^pool /, 'memory'],
    [/^longest wait for a lock|^lock held/, tables.locks.length > 0 ? 'locks' : 'tasks'], [/^ring: /, about.part ? 'zones' : 'cost'], [/^/, 'zones']];
  const section = (text) => sections.find(([pattern]) => pattern.test(text))[1];
  const found = below.map((text) => ({text: text.replace('stats --stacks shows', 'the call stacks show'), to: section(text)}));
  // Losses make the rest uncertain and come first; repairs come last.
  found.splice(about.lost > 0 ? 0 : found.length, 0, ...data.warnings.map((text) => ({text, to: 'losses'})));
  const known = new Set();
  return found.filter(({text}) => text.trim() !== '' && !text.startsWith('events: ') && !known.has(text) && known.add(text));
}

function buildHead() {
  const date = about.epoch_ns > 0 ? new Date(about.epoch_ns / 1e6) : null;
  const when = date && !Number.isNaN(date.getTime()) ? date.toISOString().replace('T', ' ').slice(0, 19) + ' UTC' : '';
  document.title = `${about.image || about.file}: kymo report`;
  const facts = [about.file, about.part ? 'a part of it' : '', when, about.arch, about.runtime ? `kymo ${about.runtime}` : ''].filter((text) => text);
  const zones = tables.zones.reduce((sum, row) => sum + row.counts, 0);
  document.getElementById('head').append(
    element('div', {class: 'title'}, element('h1', {text: shorten(about.image || about.file)}), element('p', {class: 'muted', text: facts.join(' · ')})),
    element('div', {class: 'figures'},
      figure('time', formatTime(span.last - span.first)), figure('events', formatCount(about.delivered)),
      figure('lost', formatCount(about.lost), 'events that the board recorded and that did not arrive'),
      figure('zones', formatCount(zones)), figure('ring', ringPercent(), 'the most of a ring that was in use'),
      figure(about.sessions === 1 ? 'session' : 'sessions', formatCount(about.sessions))));
}

function ringPercent() {
  const most = about.ring_most.reduce((a, b) => Math.max(a, b), 0);
  return about.ring_bytes > 0 && most > 0 ? `${Math.min(100, Math.ceil(100 * most / about.ring_bytes))} %` : '–';
}

buildHead();

// ---- sections ----

// A time in the text leads there: as long as the text says, and a deadlock to the end.
function whereNode(text) {
  const at = text.match(/(?:at|from) (\d+\.\d+) s\b/);
  if (!at) return null;
  const start = Math.round(Number(at[1]) * 1e9);
  const took = text.replace(at[0], '').match(/(\d+(?:\.\d+)?) (ns|us|ms|s)\b(?! on)/);
  const length = text.startsWith('deadlock ') ? span.last - start : took ? took[1] * {ns: 1, us: 1e3, ms: 1e6, s: 1e9}[took[2]] : 0;
  const row = timeline.rows.find(({kind, label}) => kind === 'track' && text.includes(`task ${label} `));
  return element('button', {type: 'button', class: 'link', text: 'timeline', title: 'Show on the timeline',
    on: {click: () => timeline.goTo(start, length, row && row.label)}});
}

const found = findings();
const foundList = element('ul', {class: 'findings'});
if (found.length > 0) section('findings', 'Findings', foundList);
section('timeline', 'Timeline', timeline.node);
timeline.place();
if (tables.zones.length > 0) section('zones', 'Zones', zoneTable().node);
if (tables.longest.length > 0) section('longest', 'Longest runs', longestList());

function flameSection() {
  const kinds = [['zones', 'Zones, by time', formatTime], ['samples', 'Samples', formatTime], ['memory', 'Memory, by bytes allocated', formatBytes]];
  const there = kinds.filter(([of]) => data.flames.some((graph) => graph.of === of));
  if (there.length === 0) return;
  section('flames', 'Flame graphs', ...there.flatMap(([of, title, show]) => [element('h3', {text: title}), new Flame(of, show).node]));
}
flameSection();

function plain(id, title, options, ...before) {
  if (!tables[id] || tables[id].length === 0) return;
  section(id, title, ...before, new Table({name: id, rows: tables[id], ...options}).node);
}

// How long a task was in each state.
function stateBar(row) {
  const parts = [['state_running_ns', 'good'], ['state_ready_ns', 'warn'], ['state_waiting_ns', 'quiet'], ['state_suspended_ns', 'line']];
  const all = parts.reduce((sum, [key]) => sum + (row[key] || 0), 0);
  const bars = parts.map(([key, color]) => {
    const bar = element('i', {class: `bar ${color}`, title: `${headOf(key)} ${formatTime(row[key] || 0)}`});
    bar.style.width = `${all > 0 ? 100 * (row[key] || 0) / all : 0}%`;
    return bar;
  });
  return element('span', {class: 'share states'}, ...(all > 0 ? bars : []));
}

// The reasons of a task's waits, as in hostlink stats.
function waitedFor(row) {
  const reasons = Object.keys(row).filter((key) => /^waits_.*_ns$/.test(key) && row[key] > 0).sort((a, b) => row[b] - row[a]);
  const all = reasons.reduce((sum, key) => sum + row[key], 0);
  return reasons.map((key) => `${headOf(key).slice(6)} ${Math.round(100 * row[key] / all)} %`).join(', ');
}

// The columns of the table that have values; a click on a task shows the rest.
const TASK_KEYS = ['task', 'priority', 'run_percent', 'run_ns', 'runs', 'preempted', 'ready_max_ns', 'ready_max_at_ns', 'job_max_ns', 'deadline_ns', 'missed', 'lock_max_ns', 'lock_max_at_ns'];
const taskKeys = Object.keys(tables.tasks[0] || {});
const saidOf = (rows) => taskKeys.filter((key) => !/^(id|session|state_.*|waits_.*)$/.test(key) && rows.some((row) => row[key] && row[key.replace('_max_at_', '_max_')]));
const taskRest = (row) => element('div', {class: 'facts'}, ...saidOf([row]).filter((key) => !TASK_KEYS.includes(key))
  .map((key) => element('span', {text: `${headOf(key)}: ${formatCell(key, row[key])}`})));
const taskSaid = saidOf(tables.tasks).filter((key) => TASK_KEYS.includes(key));
const told = tables.tasks.some((row) => row.state_running_ns !== null && row.state_running_ns !== undefined);
plain('tasks', about.part ? 'Tasks, of the whole capture' : 'Tasks', {first: TASK_KEYS, without: taskKeys.filter((key) => !taskSaid.includes(key)), open: taskRest,
  extra: told ? [{head: 'runs, ready, waits', cell: stateBar}, {head: 'waited for', cell: waitedFor}] : [], search: tables.tasks.length > 20});
plain('interrupts', 'Interrupts', {});
plain('locks', 'Locks', {});
plain('flows', 'Flows', {});
plain('silences', 'Silences', {});
const frameLanes = lanes.filter((lane) => lane.of === 'frames' && lane.pieces > 0);
plain('frames', 'Frames', {}, ...frameLanes.slice(0, 8).flatMap((lane) => [element('h3', {text: rowName(lane)}),
  frameChart(lane, tables.frames.find((row) => row.name === rowName(lane)))]));
plain('memory', 'Memory', {}, ...lanes.filter((lane) => lane.of === 'memory').slice(0, 8).flatMap((lane) => [
  element('h3', {text: `${rowName(lane)}, live bytes`}), curveChart(lane, 'wide')]));
const plotLane = (row) => lanes.find((lane) => lane.of === 'plot' && rowName(lane) === row.name);
plain('plots', 'Plots', {extra: [{head: 'over time', cell: (row) => (plotLane(row) ? curveChart(plotLane(row), 'spark long') : '')}]});
plain('samples', 'Samples', {search: true});
plain('stacks', 'Call stacks', {search: true});
plain('messages', 'Messages', {search: true});

// ---- losses, cost, omissions ----

function factTable(name, facts) {
  return element('table', {class: 'facts', 'data-table': name}, element('tbody', {}, ...facts.map(([label, value, raw]) => element('tr', {},
    element('th', {scope: 'row', text: label}), element('td', {class: 'number', 'data-value': raw ?? null, text: value})))));
}

function lossSection() {
  const gaps = lanes.filter((lane) => lane.of === 'losses').flatMap((lane) => {
    lane.open();
    return Array.from(lane.starts.slice(0, 500), (at_ns, i) => ({core: lane.core, cause: nameOf(lane.names[i]), took_ns: lane.lengths[i], at_ns}));
  });
  const node = section('losses', 'Losses', factTable('losses', [
    ['events that the board recorded', formatCount(about.emitted), about.emitted],
    ['that arrived', formatCount(about.delivered), about.delivered],
    ['lost, as a ring was full', formatCount(about.lost_ring), about.lost_ring],
    ['lost on the way', formatCount(about.lost_link - about.lost_before), about.lost_link - about.lost_before],
    ['sent before the capture began', formatCount(about.lost_before), about.lost_before],
    ['damaged packets', formatCount(about.bad_packets), about.bad_packets],
    ['repairs: events that did not fit together', formatCount(about.repairs), about.repairs],
    ['samples missed', formatCount(about.missed_samples), about.missed_samples],
    ['end of the capture', about.final ? 'complete' : 'cut, or the board did not finish'],
  ]));
  if (gaps.length > 0) node.append(new Table({name: 'gaps', rows: gaps}).node);
}
lossSection();

function costSection() {
  const seconds = (span.last - span.first) / 1e9;
  const rate = about.event_bytes / seconds;
  section('cost', 'Cost', factTable('cost', [
    ['events a second', formatCount(Math.round(about.delivered / seconds))],
    ['bytes an event, framing included', about.delivered > 0 ? (about.event_bytes / about.delivered).toFixed(2) : '–'],
    ['bytes a second', formatBytes(rate)],
    ['of a line of 115 200 baud', formatPercent(100 * rate / 11520)],
    ['of a line of 1 Mbaud', formatPercent(100 * rate / 1e5)],
    ['most of a ring in use', `${ringPercent()} of ${formatBytes(about.ring_bytes)}`],
    ['capture file', formatBytes(about.file_bytes), about.file_bytes],
  ]), note('Time on the board: doc/costs.md has the instructions an event takes, by core.'));
}
if (!about.part) costSection();

function leftOut() {
  const lines = lanes.filter((lane) => lane.thin_ns > 0).map((lane) => `${rowName(lane)}, ${lane.of}${lane.of === 'zones' ? ` of depth ${lane.depth}` : ''}: ` +
    `${formatCount(lane.given)} as ${formatCount(lane.pieces)}; those within ${formatTime(lane.thin_ns)} of each other are drawn as one`);
  for (const [name, rows] of Object.entries(tables)) {
    const most = name === 'silences' ? about.longest : about.rows;
    if (Array.isArray(rows) && name !== 'longest' && rows.length >= most) lines.push(`table ${name}: the first ${formatCount(most)} rows; hostlink stats --csv has more`);
  }
  const {arrows, arrows_seen: seen} = data.timeline;
  if (seen > arrows.length) lines.push(`arrows of flows: ${formatCount(arrows.length)} of ${formatCount(seen)}`);
  if (data.timeline.too_many > 0) lines.push(`timeline: ${formatCount(data.timeline.too_many)} pieces too deep, or in too many rows`);
  if (data.timeline.unnamed > 0) lines.push(`${formatCount(data.timeline.unnamed)} pieces as 'other names': there were too many names`);
  return lines;
}

const missing = leftOut();
section('left-out', 'Left out', missing.length === 0 ? note('Nothing: every event is in the timeline, every row in its table.')
  : element('ul', {class: 'findings'}, ...missing.map((text) => element('li', {text}))));

section('text', 'Text', ...Object.entries(texts).filter(([, text]) => text.trim() !== '').map(([name, text]) => element('details', {},
  element('summary', {text: `hostlink stats ${name === 'zones' ? '' : `--${name === 'longest' ? 'longest all' : name}`}`}), element('pre', {'data-text': name, text}))));
// To sections that are there.
foundList.append(...found.map(({text, to}) => {
  const there = [to, 'zones', 'tasks', 'interrupts'].find((id) => document.getElementById(id));
  return element('li', {}, shorten(text, 600), ' ', whereNode(text), ' ', there ? element('a', {href: `#${there}`, text: there}) : null);
}));
main.append(element('footer', {class: 'muted', text: `hostlink ${about.hostlink}`}));

// ---- theme and print ----

dark.addEventListener('change', redrawAll);
window.addEventListener('resize', () => timeline.place());
for (const [event, on] of [['beforeprint', true], ['afterprint', false]]) {
  window.addEventListener(event, () => {
    printing = on;
    document.documentElement.classList.toggle('printing', on);
    redrawAll();
  });
}
window.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') showTip(null, null);
});
timeline.showDetail();
redrawAll();
document.documentElement.dataset.ready = 'yes';
