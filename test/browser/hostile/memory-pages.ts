/** Pages that fill memory outside the JavaScript heap of their main thread. */
import { crc32, deflateSync, gzipSync } from "node:zlib";
import { type HostilePage, isolated, page, script, worker, workers } from "./page.ts";

const mebibyte = 1_048_576;

/** PNG of one bit per pixel: a few kilobytes that decode to four bytes per pixel. */
function hugePng(side: number): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc((1 + Math.ceil(side / 8)) * side));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

const hugeImage = { "huge.png": { type: "image/png", body: () => hugePng(12_000), headers: { "cache-control": "no-store" } } };

const buffers: readonly HostilePage[] = [
  page("array-buffers", script("grow(() => megabytes(64))")),
  page("array-buffers-in-workers", script(workers(8, "grow(() => megabytes(64))")), { inShortRun: true }),
  page(
    "shared-array-buffers",
    script(
      `const share = () => { const b = new SharedArrayBuffer(${64 * mebibyte}); new Uint8Array(b).fill(1); return b; };
      grow(share); ${workers(2, `grow(() => { const b = new SharedArrayBuffer(${32 * mebibyte}); new Uint8Array(b).fill(1); return b; })`)}`,
    ),
    { headers: isolated },
  ),
  page(
    "resizable-buffers",
    script("grow(() => { const b = new ArrayBuffer(1e6, { maxByteLength: 2e8 }); b.resize(2e8); new Uint8Array(b).fill(1); return b; })"),
  ),
  page(
    "transferred-buffers",
    script(
      `const w = ${worker("onmessage = ({ data }) => keep.push(data)")}; grow(() => { const b = megabytes(64).buffer; w.postMessage(b, [b]); })`,
    ),
  ),
  page(
    "wasm-memory",
    script("grow(() => { const m = new WebAssembly.Memory({ initial: 1000 }); new Uint8Array(m.buffer).fill(1); return m; })"),
  ),
  page(
    "wasm-memory-growing-in-workers",
    script(
      workers(
        6,
        "const m = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); grow(() => { const from = m.buffer.byteLength; m.grow(500); new Uint8Array(m.buffer, from).fill(1); })",
      ),
    ),
  ),
  page("wasm-tables", script("grow(() => new WebAssembly.Table({ initial: 9_000_000, element: 'externref' }, 'x'))")),
  page("heaps-in-workers", script(workers(16, "grow(() => Array.from({ length: 1_000_000 }, Math.random))"))),
  page("strings-in-workers", script(workers(8, "grow((n) => (n + 'x').repeat(20_000_000).split('').reverse().join(''))"))),
  page(
    "structured-clones",
    script(
      "const big = megabytes(50); grow(() => structuredClone(big)); grow(() => structuredClone(Array.from({ length: 1e6 }, (_, i) => ({ i }))))",
    ),
  ),
  page(
    "decompression",
    script("grow(async () => new Response((await fetch('bomb.gz')).body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer())"),
    {
      files: { "bomb.gz": { type: "application/octet-stream", body: () => gzipSync(Buffer.alloc(128 * mebibyte, "x")) } },
    },
  ),
];

const pixels: readonly HostilePage[] = [
  page(
    "canvases",
    script(
      "grow(() => { const c = document.createElement('canvas'); c.width = c.height = 4096; c.getContext('2d').fillRect(0, 0, 4096, 4096); return c; })",
    ),
  ),
  page(
    "offscreen-canvases-in-workers",
    script(
      workers(
        4,
        "grow(() => { const c = new OffscreenCanvas(4096, 4096); c.getContext('2d').fillRect(0, 0, 4096, 4096); return [c, c.transferToImageBitmap()]; })",
      ),
    ),
  ),
  page("image-bitmaps", script("const d = new ImageData(4096, 4096); d.data.fill(9); grow(() => createImageBitmap(d))")),
  page("image-data", script("grow(() => { const d = new ImageData(4096, 4096); d.data.fill(9); return d; })")),
  page(
    "canvas-exports",
    script(
      "const c = document.createElement('canvas'); c.width = c.height = 8000; const x = c.getContext('2d'); grow((n) => { x.fillStyle = '#' + n % 10 + '44'; x.fillRect(n, n, 4000, 4000); return c.toDataURL(); })",
    ),
  ),
  page(
    "decoded-images",
    `${"<img src=huge.png width=9 height=9>"}${script("grow((n) => { const i = new Image(); i.src = 'huge.png?' + n; document.body.append(i); return i.decode(); }, 50)")}`,
    { files: hugeImage },
  ),
  page(
    "video-posters",
    script(
      "for (let i = 0; i < 100; i++) document.body.insertAdjacentHTML('beforeend', '<video width=300 height=300 poster=huge.png?' + i + '></video>')",
    ),
    { files: hugeImage },
  ),
  page(
    "css-images",
    script(
      "for (let i = 0; i < 60; i++) document.body.insertAdjacentHTML('beforeend', '<div style=\"width:50px;height:50px;float:left;background:url(huge.png?' + i + ');border-image:url(huge.png?b' + i + ') 9\"></div>')",
    ),
    { files: hugeImage },
  ),
  page(
    "video-frames",
    script(
      "const c = new OffscreenCanvas(3840, 2160); const x = c.getContext('2d'); grow((n) => { x.fillStyle = '#' + n % 10 + '77'; x.fillRect(0, 0, 3840, 2160); return new VideoFrame(c, { timestamp: n }); })",
    ),
  ),
  page(
    "video-encoders",
    script(`for (let i = 0; i < 20; i++) { const e = new VideoEncoder({ output: (c) => keep.push(c), error() {} }); e.configure({ codec: 'vp8', width: 1920, height: 1080 });
      const c = new OffscreenCanvas(1920, 1080); c.getContext('2d'); setInterval(() => { for (let j = 0; j < 20; j++) { const f = new VideoFrame(c, { timestamp: performance.now() * 1000 + j }); try { e.encode(f); } catch {} f.close(); } }, 10); }`),
  ),
];

const media: readonly HostilePage[] = [
  page(
    "audio-buffers",
    script(
      "grow(() => { const b = new AudioBuffer({ length: 8e6, numberOfChannels: 2, sampleRate: 48000 }); for (const c of [0, 1]) b.getChannelData(c).fill(1); return b; })",
    ),
  ),
  page(
    "offline-audio",
    script(`for (let i = 0; i < 6; i++) { const a = new OfflineAudioContext(32, 48000 * 600, 48000); for (let j = 0; j < 300; j++) { const o = a.createOscillator(); const v = a.createConvolver();
      v.buffer = new AudioBuffer({ length: 96000, numberOfChannels: 2, sampleRate: 48000 }); o.connect(v).connect(a.destination); o.start(); } keep.push(a.startRendering()); }`),
  ),
  page(
    "audio-worklet",
    script(`(async () => { const code = 'registerProcessor("p", class extends AudioWorkletProcessor { process() { (globalThis.k ??= []).push(new Uint8Array(1e7).fill(1)); return true; } })';
      for (let i = 0; i < 4; i++) { const a = new OfflineAudioContext(2, 48000 * 600, 48000); await a.audioWorklet.addModule(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))); new AudioWorkletNode(a, "p").connect(a.destination); a.startRendering(); } })()`),
  ),
  page(
    "media-sources",
    script(`const big = megabytes(12); big.set([0x1a, 0x45, 0xdf, 0xa3, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]); grow(() => new Promise((done) => { const v = document.createElement('video'); const m = new MediaSource();
      m.onsourceopen = () => { try { m.addSourceBuffer('video/webm; codecs="vp8"').appendBuffer(big); } catch {} done([v, m]); }; v.src = URL.createObjectURL(m); document.body.append(v); }))`),
  ),
  page(
    "media-recorders",
    script(`for (let i = 0; i < 12; i++) { const c = document.createElement('canvas'); c.width = 1920; c.height = 1080; const x = c.getContext('2d'); document.body.append(c);
      const draw = () => { x.fillStyle = '#' + Math.random().toString(16).slice(2, 8); x.fillRect(Math.random() * 1000, 0, 900, 900); requestAnimationFrame(draw); }; draw();
      const r = new MediaRecorder(c.captureStream(60)); r.ondataavailable = ({ data }) => keep.push(data); r.start(); }`),
  ),
];

export const memoryPages: readonly HostilePage[] = [...buffers, ...pixels, ...media];
