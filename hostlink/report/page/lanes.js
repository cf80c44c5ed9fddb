// SPDX-License-Identifier: MIT
// Lanes of the timeline: decoded when they are first drawn (hostlink/report/lane.h has the encoding).

class Lane {
  constructor(fields) {
    Object.assign(this, fields);
    this.curve = this.of === 'plot' || this.of === 'memory';
  }

  // Decodes it, once.
  open() {
    if (this.starts) return this;
    const text = atob(this.data);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    this.data = null;
    this.decode(bytes);
    this.sort();
    this.sums = new Float64Array(this.pieces + 1);
    for (let i = 0; i < this.pieces; i++) this.sums[i + 1] = this.sums[i] + (this.busy ? this.busy[i] : this.lengths[i]);
    return this;
  }

  decode(bytes) {
    const count = this.pieces;
    this.starts = new Float64Array(count);
    this.lengths = new Float64Array(count);
    this.names = new Uint32Array(count);
    this.counts = this.thin_ns > 0 ? new Float64Array(count).fill(1) : null;
    this.busy = this.thin_ns > 0 ? new Float64Array(count) : null;
    if (this.curve) {
      this.last = new Float64Array(count);
      this.low = new Float64Array(count);
      this.high = new Float64Array(count);
    }
    let at = 0;
    let end = 0;
    const real = new DataView(bytes.buffer);
    // Beyond 32 bits by multiplication, exact up to 2^53.
    const number = () => {
      let value = 0;
      let factor = 1;
      for (;;) {
        const byte = bytes[at++];
        value += (byte & 127) * factor;
        if (byte < 128) return value;
        factor *= 128;
      }
    };
    const signed = (value) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
    const measured = () => {
      const value = number();
      if (value % 2 === 0) return signed(value / 2);
      at += 8;
      return real.getFloat64(at - 8, true);
    };
    for (let i = 0; i < count; i++) {
      const head = number();
      const several = (head & 2) !== 0;
      this.names[i] = Math.floor(head / 4);
      this.starts[i] = end + signed(number());
      this.lengths[i] = number();
      end = this.starts[i] + this.lengths[i];
      if (this.busy) this.busy[i] = this.lengths[i];
      if (several) {
        this.counts[i] = number();
        this.busy[i] = number();
      }
      if (this.curve) {
        this.last[i] = measured();
        this.low[i] = several ? measured() : this.last[i];
        this.high[i] = several ? measured() : this.last[i];
      }
    }
  }

  // Events of several cores may come out of order.
  sort() {
    const {starts} = this;
    if (starts.every((start, i) => i === 0 || start >= starts[i - 1])) return;
    const order = Uint32Array.from(starts.keys()).sort((a, b) => starts[a] - starts[b] || a - b);
    for (const key of ['starts', 'lengths', 'names', 'counts', 'busy', 'last', 'low', 'high']) {
      if (this[key]) this[key] = this[key].constructor.from(order, (i) => this[key][i]);
    }
  }

  end(i) {
    return this.starts[i] + this.lengths[i];
  }

  count(i) {
    return this.counts ? this.counts[i] : 1;
  }

  // The last piece that starts at or before the time, -1: none.
  before(time) {
    let low = 0;
    let high = this.pieces;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // The first piece that ends after the time.
  from(time) {
    const at = this.before(time);
    return at >= 0 && this.end(at) > time ? at : at + 1;
  }
}

const data = JSON.parse(document.getElementById('data').textContent);
const names = data.names.map((name) => name[0]);
const nameOf = (number) => (number < names.length ? names[number] || '(no name)' : 'other names');
for (const row of data.tables.zones) if (!ranks.has(row.name)) ranks.set(row.name, ranks.size);
const lanes = data.timeline.lanes.map((fields) => new Lane(fields));
const span = {
  first: data.timeline.first_ns,
  last: Math.max(data.timeline.last_ns, data.timeline.first_ns + 1000),
};
