// SPDX-License-Identifier: MIT
// A page in headless Chromium, driven through a pipe by the DevTools protocol: no package, no port.
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {pathToFileURL} from 'node:url';

export class Browser {
  static async open() {
    const browser = new Browser();
    browser.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'report-'));
    browser.process = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--no-first-run',
      '--disable-dev-shm-usage', '--hide-scrollbars', `--user-data-dir=${browser.profile}`, 'about:blank'], {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    browser.process.on('error', (error) => {
      console.error(`chromium cannot be started: ${error.message}; Debian package: chromium`);
      process.exit(1);
    });
    browser.waiting = new Map();
    browser.number = 0;
    browser.faults = [];
    browser.requests = [];
    let rest = '';
    browser.process.stdio[4].on('data', (bytes) => {
      rest += bytes;
      const messages = rest.split('\0');
      rest = messages.pop();
      for (const message of messages) browser.take(JSON.parse(message));
    });
    const {targetInfos} = await browser.ask('Target.getTargets');
    const page = targetInfos.find((target) => target.type === 'page');
    browser.session = (await browser.ask('Target.attachToTarget', {targetId: page.targetId, flatten: true})).sessionId;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await browser.ask(`${domain}.enable`);
    return browser;
  }

  take(message) {
    if (message.id) {
      const {done, failed} = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) failed(new Error(message.error.message));
      else done(message.result);
    } else if (message.method === 'Runtime.exceptionThrown') {
      const details = message.params.exceptionDetails;
      this.faults.push(details.exception?.description ?? details.text);
    } else if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error') {
      this.faults.push(message.params.entry.text);
    } else if (message.method === 'Network.requestWillBeSent') {
      this.requests.push(message.params.request.url);
    } else if (message.method === 'Page.loadEventFired' && this.loaded) {
      this.loaded();
    }
  }

  ask(method, params = {}) {
    this.number += 1;
    const message = {id: this.number, method, params};
    if (this.session) message.sessionId = this.session;
    const answer = new Promise((done, failed) => this.waiting.set(this.number, {done, failed}));
    this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    return answer;
  }

  async size(width, height, scheme = 'light', touch = false) {
    await this.ask('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: touch});
    await this.ask('Emulation.setTouchEmulationEnabled', {enabled: touch});
    await this.ask('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: scheme}]});
  }

  async load(file) {
    const loaded = new Promise((done) => { this.loaded = done; });
    this.requests = [];
    await this.ask('Page.navigate', {url: pathToFileURL(path.resolve(file)).href});
    await loaded;
  }

  // The value of an expression in the page; a promise is waited for.
  async value(expression) {
    const {result, exceptionDetails} = await this.ask('Runtime.evaluate', {expression, awaitPromise: true, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  frames() {
    return this.value('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))');
  }

  async mouse(type, x, y, more = {}) {
    await this.ask('Input.dispatchMouseEvent', {type, x, y, ...more});
  }

  async click(x, y, more = {}) {
    await this.mouse('mousePressed', x, y, {button: 'left', buttons: 1, clickCount: 1, ...more});
    await this.mouse('mouseReleased', x, y, {button: 'left', clickCount: 1, ...more});
  }

  // Clicks the middle of an element, as a person would.
  async clickOn(selector) {
    const box = await this.value(`(() => { const node = document.querySelector(${JSON.stringify(selector)}); node.scrollIntoView({block: 'center'});
      const box = node.getBoundingClientRect(); return {x: box.x + box.width / 2, y: box.y + box.height / 2}; })()`);
    await this.click(box.x, box.y);
    await this.frames();
  }

  async key(key, text, modifiers = 0) {
    await this.ask('Input.dispatchKeyEvent', {type: 'keyDown', key, text, modifiers});
    await this.ask('Input.dispatchKeyEvent', {type: 'keyUp', key});
  }

  async shot(file, whole = false) {
    const {data} = await this.ask('Page.captureScreenshot', {format: 'png', captureBeyondViewport: whole});
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async close() {
    const ended = new Promise((done) => this.process.on('exit', done));
    this.session = null;
    await this.ask('Browser.close').catch(() => {});
    await ended;
    fs.rmSync(this.profile, {recursive: true, force: true});
  }
}
