// SPDX-License-Identifier: MIT
// The page of hostlink report as a person meets it: opened from a local path in headless Chromium, looked at, clicked,
// zoomed, searched. Each figure in it is compared with the CSV of hostlink stats, and the timeline's pieces with the zones'
// counts and sums.
// Usage: node page.mjs HOSTLINK SCENE FOLDER PYTHON
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {Browser} from './browser.mjs';

const [hostlink, scene, folder, python] = process.argv.slice(2);
const TABLES = ['zones', 'frames', 'interrupts', 'locks', 'plots', 'tasks', 'memory', 'messages', 'stacks'];
let failures = 0;

function check(right, what) {
  if (right) return;
  failures += 1;
  console.error(`failed: ${what}`);
}

function run(program, args) {
  return execFileSync(program, args, {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore']});
}

// RFC 4180.
function readCsv(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    rows[rows.length - 1].push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain);
    if (end === '\n') rows.push([]);
  }
  rows.pop();
  const head = rows.shift() ?? [];
  return rows.map((row) => Object.fromEntries(head.map((key, i) => [key, row[i]])));
}

// A spreadsheet would take such a text for a formula: hostlink has put a quote before it.
function plainName(name) {
  return /^'[=+\-@\t]/.test(name) ? name.slice(1) : name;
}

function csvOf(capture, table) {
  const text = run(hostlink, ['stats', '--csv', ...(table === 'zones' ? [] : [`--${table}`]), capture]).toString();
  // A row of the CSV about what belongs to no zone is no zone's.
  return readCsv(text).filter((row) => table !== 'zones' || row.src_file !== '');
}

// ---- contents of the file ----

function dataOf(page) {
  const text = fs.readFileSync(page, 'utf8');
  return JSON.parse(text.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1]);
}

// Counts the zones of each name and sums their times, by a decoder of the tests' own.
function zonesOf(data) {
  const sums = new Map();
  for (const lane of data.timeline.lanes.filter((one) => one.of === 'zones')) {
    const bytes = Buffer.from(lane.data, 'base64');
    let at = 0;
    const number = () => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = BigInt(bytes[at++]);
        value |= (byte & 127n) << shift;
        if (byte < 128n) return value;
      }
    };
    for (let i = 0; i < lane.pieces; i++) {
      const head = number();
      number();
      const length = number();
      check((head & 2n) === 0n, 'a piece of a small capture is several');
      const name = data.names[Number(head >> 2n)][0];
      const sum = sums.get(name) ?? {count: 0n, total: 0n};
      sums.set(name, {count: sum.count + 1n, total: sum.total + length});
    }
    check(at === bytes.length, `lane ${lane.name}: bytes left over`);
  }
  return sums;
}

function checkZones(data, rows) {
  const sums = zonesOf(data);
  const repaired = new Set(rows.filter((row) => row.repaired !== '0').map((row) => row.name));
  for (const row of rows.filter((one) => !repaired.has(one.name))) {
    const same = rows.filter((one) => one.name === row.name);
    const sum = sums.get(plainName(row.name)) ?? {count: 0n, total: 0n};
    check(sum.count === same.reduce((all, one) => all + BigInt(one.counts), 0n), `timeline has ${sum.count} of ${row.name}`);
    check(sum.total === same.reduce((all, one) => all + BigInt(one.total_ns), 0n), `timeline has ${sum.total} ns of ${row.name}`);
  }
}

// ---- contents of the page ----

// The rows of a table as the page shows them: [{key: text or number}].
function shown(browser, table) {
  return browser.value(`(() => {
    const table = document.querySelector('[data-table="${table}"]');
    if (!table) return [];
    for (let more = table.closest('.tablebox').querySelector('.more'); !more.hidden;) more.click();
    const keys = [...table.querySelectorAll('th')].map((cell) => cell.dataset.key);
    return [...table.querySelectorAll('tbody tr')].map((row) => Object.fromEntries([...row.children].map((cell, i) =>
      [keys[i], cell.dataset.value ?? cell.textContent]).filter(([key]) => key)));
  })()`);
}

async function checkTables(browser, capture) {
  let figures = 0;
  for (const table of TABLES) {
    const rows = await shown(browser, table);
    const wanted = csvOf(capture, table);
    check(rows.length === wanted.length, `${table}: ${rows.length} rows in the page, ${wanted.length} in the CSV`);
    rows.forEach((row, i) => {
      for (const [key, value] of Object.entries(row)) {
        // p50 and p99 of zones are not among csvexport's columns.
        if (wanted[i]?.[key] === undefined || value === '') continue;
        const same = value === wanted[i][key] || Number(value) === Number(wanted[i][key]) || plainName(wanted[i][key]) === value ||
          (value.endsWith('…') && plainName(wanted[i][key]).startsWith(value.slice(0, -1)));
        check(same, `${table} row ${i} ${key}: '${value}' in the page, '${wanted[i][key]}' in the CSV`);
        figures += 1;
      }
    });
  }
  return figures;
}

const view = (browser) => browser.value('(() => { const {from, to} = document.querySelector(".rows").dataset; return {from: +from, to: +to}; })()');
const detail = (browser) => browser.value('document.getElementById("detail").textContent');
const rowsBox = (browser) => browser.value(`(() => { const rows = document.querySelector('.rows'); rows.scrollIntoView({block: 'center'});
  const box = rows.getBoundingClientRect(); return {x: box.x, y: box.y, width: box.width, height: box.height}; })()`);

async function checkLongest(browser, capture) {
  const run = readCsv(execFileSync(hostlink, ['stats', '--csv', '--longest', 'all', '--top', '1', capture], {stdio: ['ignore', 'pipe', 'ignore']}).toString())[0];
  await browser.clickOn('.runs .link');
  const {from, to} = await view(browser);
  check(from < +run.at_ns && to > +run.at_ns + +run.total_ns, `a click on the longest run shows ${from} to ${to}, it is at ${run.at_ns}`);
  check(to - from < 2 * +run.total_ns, 'the longest run is not what the view is full of');
  const text = await detail(browser);
  check(text.includes(run.zone) && text.includes(run.on), `the longest run is told as '${text}'`);
}

async function checkZoom(browser) {
  await browser.clickOn('.tools button[title="Show the whole capture"]');
  const all = await view(browser);
  const box = await rowsBox(browser);
  const x = box.x + box.width * 0.6;
  const y = box.y + 60;
  await browser.mouse('mouseWheel', x, y, {deltaX: 0, deltaY: -600, modifiers: 2});
  await browser.frames();
  const near = await view(browser);
  check(near.to - near.from < 0.6 * (all.to - all.from), 'ctrl and the wheel do not zoom');
  check(near.from > all.from && near.to < all.to, 'the zoom is not about the pointer');
  await browser.mouse('mousePressed', x, y, {button: 'left', buttons: 1, clickCount: 1});
  await browser.mouse('mouseMoved', x - 100, y, {button: 'left', buttons: 1});
  await browser.mouse('mouseReleased', x - 100, y, {button: 'left', clickCount: 1});
  await browser.frames();
  const panned = await view(browser);
  check(panned.from > near.from && Math.abs(panned.to - panned.from - (near.to - near.from)) < 1, 'a drag does not pan');
  await browser.value('document.querySelector(".rows").focus()');
  for (const [key, right] of [['w', (a, b) => b.to - b.from < a.to - a.from], ['d', (a, b) => b.from > a.from], ['a', (a, b) => b.from < a.from],
    ['s', (a, b) => b.to - b.from > a.to - a.from], ['0', (a, b) => b.to - b.from >= a.to - a.from]]) {
    const before = await view(browser);
    await browser.key(key, key);
    await browser.frames();
    check(right(before, await view(browser)), `the key '${key}' does nothing`);
  }
}

// The keys do the same as the mouse, and the page says what they chose.
async function checkKeys(browser) {
  await browser.value('document.querySelector(".rows").focus()');
  const said = [];
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowDown', 'ArrowUp']) {
    await browser.key(key, undefined, 8);
    said.push(await detail(browser));
  }
  check(said[0] !== said[1] && said[2] === said[0] && said[3] !== said[2] && said[4] !== said[3] && said[5] !== said[4], `keys select ${said.join(' | ')}`);
  check(await browser.value('document.getElementById("detail").ariaLive') === 'polite', 'what is selected is not told aloud');
  await browser.key('w', 'w');
  for (const [key, at] of [['End', 1], ['Home', 0]]) {
    await browser.key(key);
    await browser.frames();
    const {from, to} = await view(browser);
    const edge = await browser.value(`JSON.parse(document.getElementById('data').textContent).timeline.${at ? 'last' : 'first'}_ns`);
    check(from <= edge && to >= edge, `${key} shows ${from} to ${to}`);
  }
  await browser.value('document.querySelector(".flame").focus()');
  await browser.key('ArrowDown');
  const zone = await browser.value('document.querySelector(".flamebox [role=status]").textContent');
  check(/^.+: .+ itself$/.test(zone), `the flame graph says '${zone}'`);
}

async function checkTouch(browser) {
  const box = await rowsBox(browser);
  const fingers = (apart) => [-1, 1].map((side, id) => ({x: box.x + box.width / 2 + side * apart, y: box.y + 60, id}));
  const before = await view(browser);
  await browser.ask('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: fingers(30)});
  for (const apart of [50, 70, 90, 110]) await browser.ask('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints: fingers(apart)});
  await browser.ask('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
  await browser.frames();
  const after = await view(browser);
  check(after.to - after.from < 0.6 * (before.to - before.from), 'a pinch does not zoom');
}

async function checkSearch(browser, rows, messages) {
  const named = (name) => [...rows, ...messages].filter((one) => (one.text ?? one.name).includes(name));
  const zone = rows.find((row) => named(row.name).length === 1);
  await browser.value(`(() => { const find = document.getElementById('find'); find.value = ${JSON.stringify(zone.name)};
    find.dispatchEvent(new Event('input')); })()`);
  const found = await browser.value('document.getElementById("matches").textContent');
  const missing = await browser.value('document.getElementById("left-out").textContent');
  const silences = await browser.value('document.querySelectorAll("[data-table=silences] tbody tr").length');
  check(silences < 20 || missing.includes('table silences: the first 20'), `${silences} silences, left out: ${missing}`);
  check(found.replace(/\D/g, '') === zone.counts, `${found} of ${zone.name}, the CSV has ${zone.counts}`);
  await browser.clickOn('.tools button[title="Next match"]');
  check((await detail(browser)).includes(zone.name), 'the next match is not shown');
}

// Whatever has a name is found, and shown.
async function checkNames(browser, wanted) {
  for (const [text, count, said] of wanted) {
    await browser.clickOn('.tools button[title="Show the whole capture"]');
    await browser.value(`(() => { const find = document.getElementById('find'); find.value = ${JSON.stringify(text)}; find.dispatchEvent(new Event('input')); })()`);
    check(parseInt(await browser.value('document.getElementById("matches").textContent'), 10) === count, `${await browser.value('document.getElementById("matches").textContent')} of ${text}, not ${count}`);
    await browser.clickOn('.tools button[title="Next match"]');
    check((await detail(browser)).includes(said), `${text} is told as '${await detail(browser)}'`);
  }
}

async function checkUse(browser, rows) {
  await browser.clickOn('[data-table=zones] th[data-key=name] button');
  const names = (await shown(browser, 'zones')).map((row) => row.name);
  check(JSON.stringify(names) === JSON.stringify([...names].sort()), 'a click on the head does not sort');
  await browser.clickOn('[data-table=zones] tbody tr td');
  check(await browser.value('document.querySelectorAll("tr.opened .histogram").length') === 1, 'a click on a zone does not open its histogram');
  const total = (await browser.value('document.querySelector("[data-table=losses] [data-value]").dataset.value'));
  check(+total > 0, 'no figure of losses');
  check(rows.length > 0, 'no zones');
}

// No figure stands outside of the window.
async function checkFits(browser, width) {
  const wide = await browser.value('document.documentElement.scrollWidth');
  check(wide <= width, `${wide} pixels at a width of ${width}`);
}

async function checkPage(browser, name, capture, page) {
  const rows = csvOf(capture, 'zones');
  checkZones(dataOf(page), rows);
  await browser.size(1280, 900);
  await browser.load(page);
  check(await browser.value('document.documentElement.dataset.ready') === 'yes', `${name}: the page is not ready`);
  check(browser.requests.length === 1 && browser.requests[0].startsWith('file:'), `${name}: asks for ${browser.requests.join(' ')}`);
  const figures = await checkTables(browser, capture);
  check(figures > 80, `${name}: ${figures} figures compared`);
  return rows;
}

async function testScene(browser) {
  const capture = path.join(folder, 'scene.kymo');
  const page = path.join(folder, 'scene.html');
  fs.writeFileSync(capture, run(scene, []));
  run(hostlink, ['report', '-q', capture, '-o', page]);
  check(fs.statSync(page).size < 1e6, 'the page of a small capture is larger than 1 MB');
  const rows = await checkPage(browser, 'scene', capture, page);
  const found = await browser.value('document.getElementById("findings").textContent');
  check(found.split('gpio came').length === 2 && /not freed/.test(found) && /was not allocated/.test(found), `findings: ${found}`);
  await checkLongest(browser, capture);
  await checkZoom(browser);
  const {messages} = dataOf(page).tables;
  await checkSearch(browser, rows, messages);
  await checkKeys(browser);
  await checkNames(browser, [[messages[0].text, 1, messages[0].text]]);
  await checkUse(browser, rows);
  await checkFits(browser, 1280);
  await browser.size(390, 844, 'dark', true);
  await browser.load(page);
  await browser.frames();
  check(await browser.value('document.querySelector("canvas[data-unit]").dataset.unit') === 'ms', 'a narrow ruler has another unit');
  await checkTouch(browser);
  await checkFits(browser, 390);
  check((await browser.value('document.querySelector(".legend").textContent')).includes('name has a colour of its own'), 'no legend of colours');
  check(await browser.value('getComputedStyle(document.body).backgroundColor') !== 'rgb(246, 246, 244)', 'the dark page is light');
}

// A page of a scene of tasks (tests/cli/task_scenes.py), and its data.
async function openTasks(browser, name, ...part) {
  const [capture, page] = ['kymo', 'html'].map((end) => path.join(folder, `${name}.${end}`));
  fs.writeFileSync(capture, run(python, ['-B', 'tests/cli/task_scenes.py', name]));
  run(hostlink, ['report', '-q', capture, '-o', page, ...part]);
  await browser.load(page);
  return dataOf(page);
}

// Events of a kernel, and no zones.
async function testTasks(browser) {
  await browser.size(1280, 900);
  for (const [name, length, said] of [['held', 19.53e6, 'waits: lock'], ['deadlock', 0, 'reader'], ['starved', 350e6, 'slow'], ['storm', 10e6, ''], ['late', 6.2e6, 'motor: 0.502 050'], ['inversion', 24.6e6, 'waits: lock']]) {
    const data = await openTasks(browser, name);
    const dead = await browser.value('[...document.querySelectorAll("#findings a, nav a")].filter((link) => !document.querySelector(link.hash)).length');
    check(dead === 0, `${name}: ${dead} links lead nowhere`);
    if (name === 'late') await checkNames(browser, [['level: object', 1, 'plot'], ['net', 1 + 2, 'net']]);
    await browser.clickOn(name === 'held' ? '[data-table=locks] [data-value="1550000"] .link' : '#findings button.link');
    const {from, to} = await view(browser);
    const {first_ns: first, last_ns: last} = data.timeline;
    const wanted = Math.min(1.6 * (length || (last - first) / 50), 1.02 * (last - first));
    check(Math.abs(to - from - wanted) < 0.02 * wanted, `${name}: the finding is ${from} to ${to}, not ${wanted} ns`);
    check((await detail(browser)).includes(said), `${name}: the finding is told as '${await detail(browser)}'`);
  }
  const heads = await browser.value('[...document.querySelectorAll("[data-table=tasks] th")].map((cell) => cell.textContent)');
  check(new Set(heads).size === heads.length && heads.length < 16 && heads.includes('lock max at') && !heads.includes('ready max at'), `heads of tasks: ${heads}`);
  check((await browser.value('document.querySelector("[data-table=tasks]").textContent')).includes('lock 99 %, delay 1 %'), 'not what motor waited for');
  await browser.clickOn('.tools button[title="Show the whole capture"]');
  await browser.clickOn('[data-table=tasks] [data-value="1120000"] .link');
  check(/waits: lock.*24\.6 ms/.test(await detail(browser)) && !(await detail(browser)).includes('null'), `the wait is told as '${await detail(browser)}'`);
}

// A finger finds the low bar of a task from most of its row.
async function testTap(browser) {
  await browser.size(390, 844, 'light', true);
  await openTasks(browser, 'inversion');
  check(/runs.*ready.*waits for a lock/.test(await browser.value('document.querySelector(".legend").textContent')), 'no legend of the states');
  const box = await rowsBox(browser);
  let high = 0;
  for (let y = 22; y < box.height; y += 4) {
    await browser.click(box.x + box.width / 2, box.y + y);
    high += (await detail(browser)).includes('waits: lock') ? 4 : 0;
  }
  check(high >= 20, `a finger finds the wait of motor within ${high} pixels`);
}

// Names of a capture are text, with any characters.
async function testHostile(browser) {
  const capture = path.join(folder, 'hostile.kymo');
  const page = path.join(folder, 'hostile.html');
  fs.writeFileSync(capture, run(python, ['-B', 'tests/report/hostile.py']));
  run(hostlink, ['report', '-q', capture, '-o', page]);
  await checkPage(browser, 'hostile', capture, page);
  check(!(await browser.value('document.title')).includes('hacked'), 'a name ran as a script');
  check(await browser.value('document.querySelectorAll("script").length') === 2, 'a name became a script');
  check(await browser.value('document.querySelectorAll("img, iframe, b b, a[onclick], [onerror]").length') === 0, 'a name became an element');
}

// Each flow has an arrow from where it was sent, over its steps, to where it was received; those of a part are drawn.
async function testArrows(browser) {
  const capture = path.join(folder, 'flows.kymo');
  const page = path.join(folder, 'flows.html');
  fs.writeFileSync(capture, run(python, ['-B', 'tests/cli/flows.py', 'make', '200']));
  run(hostlink, ['report', '-q', capture, '-o', page]);
  run(hostlink, ['convert', '-q', capture, '-o', path.join(folder, 'flows.events.csv')]);
  const wanted = [];
  const sent = new Map();
  for (const row of readCsv(fs.readFileSync(path.join(folder, 'flows.events.csv')).toString()).filter((one) => one.kind.startsWith('flow '))) {
    const key = `${row.name} ${row.value}`;
    if (row.kind !== 'flow send' && sent.has(key)) wanted.push([sent.get(key), row.time_ns, row.name].join(' '));
    if (row.kind === 'flow receive') sent.delete(key);
    else if (row.kind === 'flow send' || sent.has(key)) sent.set(key, row.time_ns);
  }
  const data = dataOf(page);
  const arrows = data.timeline.arrows.map(([from, to, , , name]) => [from, to, data.names[name][0]].join(' '));
  check(arrows.length > 300 && arrows.sort().join() === wanted.sort().join(), `${arrows.length} arrows, not ${wanted.length}`);
  await browser.load(page);
  await browser.frames();
  const shown = 'Number(document.querySelector("canvas[data-arrows]").dataset.arrows)';
  const all = await browser.value(shown);
  check(all > 250, `${all} arrows are drawn`);
  await browser.value('document.querySelector(".rows").focus()');
  for (let i = 0; i < 5; i++) await browser.key('w', 'w');
  await browser.frames();
  const some = await browser.value(shown);
  check(some > 0 && some < all, `${some} of ${all} arrows in a part`);
}

// A part of a capture: the tables are those of hostlink stats with the same options, and the timeline has the same zones.
async function testPart(browser) {
  const capture = path.join(folder, 'scene.kymo');
  const page = path.join(folder, 'part.html');
  const others = ['frames', 'flows', 'interrupts', 'locks', 'plots', 'memory', 'messages'];
  for (const part of [['--from', '20ms', '--to', '40ms'], ['--from', 'message:storm of', '--to', 'frame:1500'], ['--zone', 'pars*'], ['--context', 'm*']]) {
    run(hostlink, ['report', '-q', capture, '-o', page, ...part]);
    const data = dataOf(page);
    const zones = JSON.parse(run(hostlink, ['stats', '--json', capture, ...part]).toString()).zones;
    const tables = JSON.parse(run(hostlink, ['stats', '--json', '--longest', 'all', '--top', '20', ...others.map((table) => `--${table}`), capture, ...part]).toString());
    tables.zones = zones;
    for (const table of [...others, 'zones', 'longest']) {
      check(JSON.stringify(data.tables[table]) === JSON.stringify(tables[table]), `${part.join(' ')}: another table of ${table}`);
    }
    check(zones.length > 0 && data.tables.memory.length > 0, `${part.join(' ')}: nothing is in it`);
    checkZones(data, zones.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, String(value)]))));
    if (part[0] === '--from' && part[1] === '20ms') {
      check(data.timeline.first_ns >= 20e6 && data.timeline.last_ns <= 40e6, 'the timeline goes beyond the part');
      const live = data.timeline.lanes.find((lane) => lane.of === 'memory');
      check(live && live.pieces > 0, 'no live bytes in the part');
    }
  }
  // After the end only the previous contents are there, and no two marks of the ruler are the same.
  run(hostlink, ['report', '-q', capture, '-o', page, '--from', '10s']);
  await browser.load(page);
  check(await browser.value('document.documentElement.dataset.ready') === 'yes', 'the page of a part is not ready');
  await browser.frames();
  const ticks = (await browser.value('document.querySelector("canvas[data-ticks]").dataset.ticks')).split('; ');
  check(ticks.length > 2 && new Set(ticks).size === ticks.length, `ticks ${ticks}`);
  check(await browser.value('[...document.querySelectorAll("#findings a, nav a")].every((link) => document.querySelector(link.hash))'), 'links of nothing lead nowhere');
  for (const heap of dataOf(page).tables.memory) check(heap.most_bytes >= heap.live_bytes, `peak ${heap.most_bytes} of ${heap.live_bytes} live`);
}

// The page of hostlink compare: what differs first, the rest below, each figure that of the CSV.
async function testCompare(browser) {
  const [old, slower, page] = ['scene.kymo', 'slower.kymo', 'compare.html'].map((name) => path.join(folder, name));
  fs.writeFileSync(slower, run(scene, ['-s', '1']));
  run(hostlink, ['compare', old, slower, '-o', page]);
  const rows = readCsv(run(hostlink, ['compare', '--csv', old, slower]).toString());
  const different = rows.filter((row) => !['same', 'chance'].includes(row.result));
  for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
    await browser.size(width, 900, scheme, width < 500);
    await browser.load(page);
    await checkFits(browser, width);
  }
  const shown = (table) => browser.value(`[...document.querySelectorAll('[data-table="${table}"] tbody tr')].map((row) => [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent))`);
  for (const [table, wanted] of [['times', different], ['rest-times', rows.filter((row) => !different.includes(row))]]) {
    const keys = ['result', 'kind', 'name', 'mean_percent', 'total_change_ns', 'count_before', 'count_after', 'mean_before_ns', 'mean_after_ns'];
    const cells = await shown(table);
    check(cells.length === wanted.length, `${table}: ${cells.length} rows, not ${wanted.length}`);
    check(cells.every((row, i) => keys.every((key, k) => (Number.isNaN(Number(row[k])) ? row[k] === wanted[i][key] : Number(row[k]) === Number(wanted[i][key])))), `${table}: other figures`);
  }
  check(await browser.value('document.querySelectorAll(".worse").length') === different.length, 'what is slower has no mark');
  const hostile = path.join(folder, 'hostile.kymo');
  run(hostlink, ['compare', hostile, hostile, '-o', page]);
  await browser.load(page);
  check(await browser.value('document.querySelectorAll("script").length') === 2, 'a name became a script');
  check(await browser.value('document.querySelectorAll("img, iframe, b b, a[onclick], [onerror]").length') === 0, 'a name became an element');
}

// More than the page has room for: it says what it left out, and the longest run is whole.
async function testThinned(browser) {
  const capture = path.join(folder, 'long.kymo');
  const page = path.join(folder, 'long.html');
  fs.writeFileSync(capture, run(scene, ['-n', '150000']));
  run(hostlink, ['report', '-q', capture, '-o', page]);
  check(fs.statSync(page).size < 12e6, 'the page is larger than 12 MB');
  await browser.size(1280, 900);
  await browser.load(page);
  const missing = await browser.value('document.getElementById("left-out").textContent');
  check(/zones of depth 0: [\d\s]+ as [\d\s]+;/.test(missing), `left out: ${missing.slice(0, 200)}`);
  await checkLongest(browser, capture);
  fs.rmSync(page);
  fs.rmSync(capture);
}

// Nothing, losses alone, a file that is cut in the middle.
async function testPoor(browser) {
  const whole = fs.readFileSync(path.join(folder, 'scene.kymo'));
  for (const [name, bytes] of [['cut', whole.subarray(0, whole.length / 2)], ['head', whole.subarray(0, 1100)]]) {
    const capture = path.join(folder, `${name}.kymo`);
    const page = path.join(folder, `${name}.html`);
    fs.writeFileSync(capture, bytes);
    run(hostlink, ['report', '-q', capture, '-o', page]);
    await browser.load(page);
    check(await browser.value('document.documentElement.dataset.ready') === 'yes', `${name}: the page is not ready`);
  }
}

fs.mkdirSync(folder, {recursive: true});
const browser = await Browser.open();
try {
  await testScene(browser);
  await testTasks(browser);
  await testTap(browser);
  await testHostile(browser);
  await testArrows(browser);
  await testPart(browser);
  await testCompare(browser);
  await testPoor(browser);
  await testThinned(browser);
  check(browser.faults.length === 0, `the page has faults:\n${browser.faults.join('\n')}`);
} finally {
  await browser.close();
}
process.exit(failures > 0 ? 1 : 0);
