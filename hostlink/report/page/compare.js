// SPDX-License-Identifier: MIT
// The page of hostlink compare: differences first, then the other rows.

const data = JSON.parse(document.getElementById('data').textContent);
const nav = document.getElementById('nav');
const main = document.getElementById('main');
const QUIET = ['same', 'chance'];
const MARKS = {slower: 'worse', more: 'worse', faster: 'better', less: 'better'};
main.replaceChildren();

function section(id, title, ...content) {
  main.append(element('section', {id, 'aria-labelledby': `${id}-title`}, element('h2', {id: `${id}-title`, text: title}), ...content));
  nav.append(element('a', {href: `#${id}`, text: title}));
}

function figure(label, value) {
  return element('div', {class: 'figure'}, element('b', {text: formatCount(value)}), element('span', {text: label}));
}

// The change stands beside the name, so that a narrow screen shows both.
const FIRST = ['result', 'kind', 'name', 'function', 'mean_percent', 'share_change_percent', 'total_change_ns'];

function table(name, rows) {
  const first = FIRST.filter((key) => rows.some((row) => key in row));
  return new Table({name, rows, first, without: ['t'], search: rows.length > 20, mark: (row) => MARKS[row.result]}).node;
}

const {differences, memory, samples} = data.tables;
const all = [...differences, ...memory, ...samples];
const count = (...results) => all.filter((row) => results.includes(row.result)).length;

document.title = `${data.before} and ${data.after}: kymo compare`;
document.getElementById('head').append(
  element('div', {class: 'title'}, element('h1', {text: `${shorten(data.before, 100)} → ${shorten(data.after, 100)}`}),
    element('p', {class: 'muted', text: `a change of ${data.percent} % counts, if chance does not explain it: the means are ${data.least_t} standard errors or more apart`})),
  element('div', {class: 'figures'}, figure('compared', all.length), figure('slower or more', count('slower', 'more')),
    figure('faster or less', count('faster', 'less')), figure('new', count('new')), figure('gone', count('gone'))));

const PARTS = [['times', 'Times', differences], ['memory', 'Memory', memory], ['samples', 'Samples', samples]];
for (const [id, title, rows] of PARTS) {
  const different = rows.filter((row) => !QUIET.includes(row.result));
  if (rows.length > 0) section(id, title, different.length > 0 ? table(id, different) : element('p', {class: 'muted', text: 'No difference beyond chance.'}));
}
for (const [id, title, rows] of PARTS) {
  const rest = rows.filter((row) => QUIET.includes(row.result));
  if (rest.length > 0) section(`rest-${id}`, `${title}: no difference`, table(`rest-${id}`, rest));
}
main.append(element('footer', {class: 'muted', text: `hostlink ${data.hostlink}`}));
document.documentElement.dataset.ready = 'yes';
