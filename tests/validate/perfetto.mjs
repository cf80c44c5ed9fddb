// SPDX-License-Identifier: MIT
// Loads a trace into Perfetto's trace processor (see fetch.sh) and answers questions in SQL.
// Usage: node perfetto.mjs FOLDER TRACE < QUERIES: standard input is a JSON object of name to SQL, standard
// output one of name to rows. Exit status 1 if the trace does not load or a query fails.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {pathToFileURL} from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';

// The engine is compiled once and plainly: optimising it takes six times as long as these traces.
v8.setFlagsFromString('--liftoff-only');

const PARSE_BYTES = 4 << 20;

// The engine expects a browser's worker: it fetches its WebAssembly and talks through a message port.
function startWorker(folder) {
  const wasm = fs.readFileSync(path.join(folder, 'trace_processor.wasm'));
  class WasmRequest {
    open() {}
    send() { this.response = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length); }
  }
  let compiled;
  const compile = (...source) => { compiled = WebAssembly.instantiate(...source); return compiled; };
  const silent = {log() {}, warn() {}, error() {}, info() {}, debug() {}};
  const scope = {
    self: {location: {href: 'http://localhost/engine.js'}}, console: silent, performance, setTimeout,
    XMLHttpRequest: WasmRequest, WorkerGlobalScope: class {}, TextDecoder, TextEncoder, URL,
    ArrayBuffer, Uint8Array, Error, TypeError, Promise,
    WebAssembly: Object.create(WebAssembly, {instantiate: {value: compile}}),
  };
  scope.globalThis = scope;
  vm.runInNewContext(fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8'), scope);
  return {worker: scope.self, compiled};
}

async function connect(folder) {
  console.warn = () => {}; // the client library does not know every field of the newer engine
  const {EngineBase} = await import(pathToFileURL(path.join(folder, 'engine.mjs')).href);
  class Engine extends EngineBase {
    id = 'test';
    mode = 'WASM';
    port = {postMessage: (bytes) => this.onRpcResponseBytes(new Uint8Array(bytes))};
    rpcSendRequestBytes(bytes) { this.port.onmessage({data: bytes.slice()}); }
  }
  const engine = new Engine();
  const {worker, compiled} = startWorker(folder);
  worker.onmessage({data: engine.port});
  // The engine's own work after compiling is done before the next timer.
  await compiled;
  await new Promise((done) => setTimeout(done, 0));
  return engine;
}

function plain(value) {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

async function ask(engine, sql) {
  const result = await engine.query(sql);
  const columns = result.columns();
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next()) {
    rows.push(columns.map((column) => plain(it.get(column))));
  }
  return rows;
}

const [folder, trace] = process.argv.slice(2);
let question = 'load';
try {
  const engine = await connect(folder);
  const bytes = fs.readFileSync(trace);
  for (let at = 0; at < bytes.length; at += PARSE_BYTES) {
    await engine.parse(new Uint8Array(bytes.subarray(at, at + PARSE_BYTES)));
  }
  await engine.notifyEof();
  const answers = {};
  for (const [name, sql] of Object.entries(JSON.parse(fs.readFileSync(0, 'utf8')))) {
    question = name;
    answers[name] = await ask(engine, sql);
  }
  console.log(JSON.stringify(answers));
} catch (error) {
  console.error(`${trace}: ${question}: ${error.message ?? error}`);
  process.exit(1);
}
