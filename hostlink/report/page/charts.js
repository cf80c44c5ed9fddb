// SPDX-License-Identifier: MIT
// Curves, bars and histograms.

const GROUP = 32;

// The least and the greatest value, of all and of groups of pieces.
function curveBounds(lane) {
  if (!lane.bounds) {
    let low = Infinity;
    let high = -Infinity;
    lane.open();
    lane.lows = new Float64Array(Math.ceil(lane.pieces / GROUP)).fill(Infinity);
    lane.highs = new Float64Array(lane.lows.length).fill(-Infinity);
    for (let i = 0; i < lane.pieces; i++) {
      const group = Math.floor(i / GROUP);
      if (lane.low[i] < lane.lows[group]) lane.lows[group] = lane.low[i];
      if (lane.high[i] > lane.highs[group]) lane.highs[group] = lane.high[i];
    }
    for (let i = 0; i < lane.lows.length; i++) {
      if (lane.lows[i] < low) low = lane.lows[i];
      if (lane.highs[i] > high) high = lane.highs[i];
    }
    if (lane.of === 'memory') low = Math.min(0, low);
    lane.bounds = {low, high: high > low ? high : low + 1};
  }
  return lane.bounds;
}

// Steps: a value holds until the next one. At most a few strokes a pixel, from the least to the greatest in it.
function drawCurve(context, lane, view) {
  const {x, y, height, low, high} = view;
  const at = (value) => y + height - 2 - (value - low) / (high - low) * (height - 4);
  let i = Math.max(0, lane.before(view.from));
  context.strokeStyle = colors.accent;
  context.lineWidth = 1.2;
  context.beginPath();
  let last = null;
  while (i < lane.pieces && lane.starts[i] <= view.to) {
    const pixel = Math.floor(x(lane.starts[i]));
    let least = lane.low[i];
    let most = lane.high[i];
    let value = lane.last[i];
    const next = view.timeOf(pixel + 1);
    for (i++; i < lane.pieces && lane.starts[i] < next; i++) {
      const whole = i % GROUP === 0 && i + GROUP <= lane.pieces && lane.starts[i + GROUP - 1] < next;
      least = Math.min(least, whole ? lane.lows[i / GROUP] : lane.low[i]);
      most = Math.max(most, whole ? lane.highs[i / GROUP] : lane.high[i]);
      i += whole ? GROUP - 1 : 0;
      value = lane.last[i];
    }
    if (last === null) context.moveTo(pixel, at(value));
    else context.lineTo(pixel, at(last));
    if (most > least) {
      context.lineTo(pixel, at(least));
      context.lineTo(pixel, at(most));
    }
    context.lineTo(pixel, at(value));
    last = value;
  }
  if (last !== null) context.lineTo(x(Math.min(view.to, span.last)), at(last));
  context.stroke();
}

// A chart that redraws when the theme or its size changes.
function chart(className, draw, click) {
  const canvas = element('canvas', {class: className, role: 'img'});
  const redraw = () => {
    if (canvas.clientWidth > 0) draw(openCanvas(canvas), canvas);
  };
  redraws.push(redraw);
  new ResizeObserver(redraw).observe(canvas);
  if (click) {
    canvas.classList.add('clickable');
    canvas.addEventListener('click', (event) => {
      const box = canvas.getBoundingClientRect();
      click((event.clientX - box.left) / box.width);
    });
  }
  return canvas;
}

// A lane's curve over the whole capture; a click shows that time.
function curveChart(lane, className) {
  return chart(className, ({context, width, height}) => {
    const bounds = curveBounds(lane);
    const scale = width / (span.last - span.first);
    drawCurve(context, lane, {x: (time) => (time - span.first) * scale, timeOf: (x) => span.first + x / scale, from: span.first, to: span.last, y: 0, height, ...bounds});
    if (height < 60) return;
    const show = lane.of === 'memory' ? formatBytes : formatValue;
    fillLabel(context, show(bounds.high), 4, 9);
    fillLabel(context, show(bounds.low), 4, height - 9);
  }, (part) => timeline.goTo(span.first + part * (span.last - span.first), (span.last - span.first) / 50));
}

// ---- histograms ----

// [step, how many, ...] as hostlink has it (sink/histogram.h): octaves of 32 steps; the first two have steps of 1.
function histogramSteps(list) {
  const steps = [];
  for (let i = 0; i < list.length; i += 2) {
    const octave = Math.floor(list[i] / 32);
    const size = octave === 0 ? 1 : 2 ** (octave - 1);
    const low = ((octave === 0 ? 0 : 32) + list[i] % 32) * size;
    steps.push({low, high: low + size, count: list[i + 1]});
  }
  return steps;
}

// Bars over a logarithmic axis of time; of equal area a step.
function drawHistogram({context, width, height}, steps, withAxis) {
  if (steps.length === 0) return;
  const low = Math.max(1, steps[0].low) * 0.9;
  const high = Math.max(steps[steps.length - 1].high, low * 2) * 1.1;
  const bars = new Float64Array(Math.max(8, Math.floor(width / (withAxis ? 5 : 2))));
  const place = (value) => Math.log(Math.max(value, low) / low) / Math.log(high / low);
  for (const step of steps) {
    const at = Math.min(bars.length - 1, Math.floor(place((step.low + step.high) / 2) * bars.length));
    bars[at] += step.count;
  }
  const most = bars.reduce((a, b) => Math.max(a, b), 0);
  const bottom = height - (withAxis ? 16 : 0);
  context.fillStyle = colors.accent;
  bars.forEach((count, i) => {
    // The square root keeps rare values visible.
    const tall = count > 0 ? Math.max(1, Math.sqrt(count / most) * (bottom - 1)) : 0;
    context.fillRect(i * width / bars.length, bottom - tall, Math.max(1, width / bars.length - 0.7), tall);
  });
  if (!withAxis) return;
  context.fillStyle = colors.muted;
  let last = -60;
  for (let power = 0; power < 13; power++) {
    for (const factor of [1, 3]) {
      const value = factor * 10 ** power;
      const x = place(value) * width;
      if (value <= low || value >= high || x - last < 50 || x > width - 36) continue;
      context.fillRect(x, bottom, 1, 3);
      context.fillText(value >= 1e9 ? `${value / 1e9} s` : value >= 1e6 ? `${value / 1e6} ms` : value >= 1e3 ? `${value / 1e3} µs` : `${value} ns`, x + 3, height - 7);
      last = x;
    }
  }
}

// ---- frames ----

// Each frame's length over time, the median and the longest; a click shows the frame there.
function frameChart(lane, row) {
  const draw = ({context, width, height}) => {
    lane.open();
    let most = 1;
    for (let i = 0; i < lane.pieces; i++) most = Math.max(most, lane.lengths[i]);
    const scale = width / (span.last - span.first);
    const tall = (ns) => ns / most * (height - 14);
    context.fillStyle = colors.accent;
    let pixel = -1;
    let highest = 0;
    for (let i = 0; i < lane.pieces; i++) {
      const x = Math.floor((lane.starts[i] - span.first) * scale);
      highest = x === pixel ? Math.max(highest, lane.lengths[i]) : lane.lengths[i];
      pixel = x;
      context.fillRect(x, height - tall(highest), Math.max(1, lane.lengths[i] * scale - 0.7), tall(highest));
    }
    context.fillStyle = colors.muted;
    context.fillText(`longest ${formatTime(most)}`, 4, 7);
    if (!row) return;
    const y = height - tall(row.p50_ns);
    const text = `median ${formatTime(row.p50_ns)}`;
    context.fillRect(0, y, width, 0.7);
    fillLabel(context, text, width - context.measureText(text).width - 4, y - 8);
  };
  return chart('wide', draw, (part) => {
    const i = Math.max(0, lane.before(span.first + part * (span.last - span.first)));
    timeline.goTo(lane.starts[i], lane.lengths[i], '', nameOf(lane.names[i]));
  });
}
