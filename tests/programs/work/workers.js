// SPDX-License-Identifier: BSD-2-Clause
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (isMainThread) {
  let sum = 0, left = 3;
  for (let i = 0; i < 3; i++) {
    const w = new Worker(__filename);
    w.on('message', n => { sum += n; });
    w.on('exit', () => { if (--left === 0) console.log(sum); });
    w.postMessage(i);
  }
  process.on('SIGUSR2', () => console.log('usr2'));
  process.kill(process.pid, 'SIGUSR2');
} else {
  parentPort.once('message', i => {
    let n = 0;
    for (let k = 0; k < 1e5; k++) n += k % (i + 2);
    parentPort.postMessage(n);
  });
}
