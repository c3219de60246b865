/** Pages whose document, layout or painting has no end. */
import { type HostilePage, otherHosts, page, script } from "./page.ts";

const layerCount = 600;

const painting: readonly HostilePage[] = [
  page(
    "blurred-layers",
    `<style>@keyframes turn { to { transform: rotate3d(1, 1, 1, 360deg) scale(1.2); } }
    i { position: absolute; width: 4000px; height: 4000px; backdrop-filter: blur(200px); filter: hue-rotate(40deg) blur(4px); animation: turn 2s infinite linear; background: rgba(9, 99, 200, .1); }</style>
    ${"<i></i>".repeat(layerCount)}`,
    { loadMs: 0, inShortRun: true },
  ),
  page(
    "promoted-layers",
    `<style>b { position: absolute; width: 2000px; height: 2000px; will-change: transform; background: linear-gradient(red, blue); }</style>${"<b>x</b>".repeat(5_000)}`,
  ),
  page(
    "endless-painting",
    `<canvas width=4000 height=4000></canvas>${script(`const x = document.querySelector('canvas').getContext('2d'); const draw = () => { x.shadowBlur = 200; x.shadowColor = 'red'; for (let i = 0; i < 50; i++) { x.filter = 'blur(20px)';
      x.fillRect(Math.random() * 3000, Math.random() * 3000, 900, 900); } requestAnimationFrame(draw); }; draw()`)}`,
  ),
  page(
    "svg-filters",
    `<svg width=4000 height=4000>${Array.from(
      { length: 40 },
      (
        _,
        at,
      ) => `<filter id=f${at} x=-1 y=-1 width=3 height=3><feTurbulence baseFrequency=0.9 numOctaves=99 seed=${at}><animate attributeName=seed from=0 to=9999 dur=9s repeatCount=indefinite /></feTurbulence>
      <feGaussianBlur stdDeviation=150 /><feMorphology operator=dilate radius=90 /><feDisplacementMap in=SourceGraphic scale=500 /></filter><rect width=4000 height=4000 filter=url(#f${at}) />`,
    ).join("")}</svg>`,
  ),
  page(
    "svg-uses",
    `<svg><defs><g id=g0><circle r=9 /></g>${Array.from({ length: 12 }, (_, at) => `<g id=g${at + 1}>${`<use href=#g${at} />`.repeat(10)}</g>`).join("")}</defs><use href=#g12 /></svg>`,
  ),
  page(
    "view-transitions",
    `<style>div { width: 3000px; height: 3000px; } ::view-transition-group(*) { animation-duration: 60s; }</style>${Array.from({ length: 100 }, (_, at) => `<div style="view-transition-name: v${at}; background: #${at % 10}7${at % 9}">x</div>`).join("")}
    ${script("const again = () => { const t = document.startViewTransition(() => document.body.append('x')); t.ready.catch(() => {}); setTimeout(again, 300); }; again()")}`,
  ),
  page(
    "scroll-animations",
    `<style>body { height: 900000px; } @keyframes k { to { transform: translateY(9000px) rotate(9turn); filter: blur(50px); } } u { position: fixed; width: 900px; height: 900px; animation: k linear; animation-timeline: scroll(); }</style>
    ${"<u>x</u>".repeat(2_000)}${script("let y = 0; setInterval(() => scrollTo(0, y = (y + 997) % 800000), 1)")}`,
  ),
  page(
    "paint-worklet",
    `<style>div { width: 900px; height: 900px; background: paint(p); }</style><div></div>${script("CSS.paintWorklet.addModule(URL.createObjectURL(new Blob(['registerPaint(\"p\", class { paint() { for (;;) ; } })'], { type: 'text/javascript' })))")}`,
  ),
  page(
    "printing",
    `<style>@page { size: 1cm 1cm; margin: 0; } p { break-after: page; }</style>${"<p>x</p>".repeat(20_000)}${script("setInterval(() => print(), 1)")}`,
  ),
];

const layout: readonly HostilePage[] = [
  page(
    "millions-of-elements",
    script(
      "grow(() => { const f = document.createDocumentFragment(); for (let i = 0; i < 20_000; i++) { const d = document.createElement('div'); d.className = 'c' + i; d.append('word'); f.append(d); } document.body.append(f); })",
    ),
  ),
  page(
    "huge-text",
    script(
      "grow(() => { const p = document.createElement('pre'); p.append(document.createTextNode('word '.repeat(10_000_000))); document.body.append(p); })",
    ),
  ),
  page(
    "detached-trees",
    script(
      "grow(() => { const d = document.implementation.createHTMLDocument(); d.body.innerHTML = '<p>word<b>x</b></p>'.repeat(50_000); return d; })",
    ),
  ),
  page(
    "grid-tracks",
    `<style>.g { display: grid; grid-template-columns: repeat(9999, minmax(min-content, 1fr)); grid-auto-flow: dense; } .g > .g { grid-column: span 3000; }</style>${'<div class="g">'.repeat(6)}${"<div>x</div>".repeat(20_000)}`,
  ),
  page(
    "columns-in-columns",
    `<style>div { columns: 50; column-fill: balance; height: auto; }</style>${"<div>".repeat(14)}${"<p>word word</p>".repeat(20_000)}`,
  ),
  page(
    "tables-in-tables",
    `${"<table><tr><td>".repeat(400)}${"word ".repeat(2_000)}${script("setInterval(() => document.querySelectorAll('td').forEach((c) => { c.style.width = Math.random() * 900 + 'px'; c.offsetWidth; }), 1)")}`,
  ),
  page(
    "style-recalculation",
    `<style>${Array.from({ length: 2_000 }, (_, at) => `:has(.c${at} ~ :nth-child(${at + 1} of .d)) *:not(.e${at}) { --v${at}: calc(1px * ${at}); }`).join("")}</style>${"<div class=d><p>x</p></div>".repeat(5_000)}
    ${script("let n = 0; setInterval(() => { document.body.className = 'c' + n++ % 2000; document.body.offsetWidth; }, 1)")}`,
  ),
  page(
    "mutation-observers",
    script(
      "new MutationObserver(() => document.body.append(document.createElement('p'))).observe(document, { childList: true, subtree: true }); document.body.append('x')",
    ),
  ),
  page(
    "resize-observers",
    script(
      "for (let i = 0; i < 500; i++) { const d = document.createElement('div'); document.body.append(d); new ResizeObserver(() => { d.style.height = Math.random() * 999 + 'px'; d.append(document.createElement('p')); }).observe(d); }",
    ),
  ),
  page("endless-document-write", script("for (;;) document.write('<p>word<table><tr><td>')")),
  page(
    "fonts",
    script(
      "grow((n) => { const f = new FontFace('f' + n, megabytes(30)); document.fonts.add(f); f.load().catch(() => {}); document.body.insertAdjacentHTML('beforeend', '<p style=font-family:f' + n + '>x</p>'); return f; })",
    ),
  ),
  page(
    "style-sheets",
    script(
      "grow((n) => { const s = new CSSStyleSheet(); s.replaceSync('.a' + n + ' { --x: ' + 'y'.repeat(5e6) + ' }'); document.adoptedStyleSheets.push(s); return s; })",
    ),
  ),
];

const embedding = "grow(() => megabytes(20))";

const frames: readonly HostilePage[] = [
  page(
    "frames",
    script(
      `if (top === self) for (let i = 0; i < 150; i++) { const f = document.createElement('iframe'); f.src = '?' + i; document.body.append(f); } else { ${embedding} }`,
    ),
  ),
  page(
    "frames-of-other-sites",
    script(
      `if (top === self) for (const host of ${JSON.stringify(otherHosts)}) for (let i = 0; i < 2; i++) { const f = document.createElement('iframe'); f.src = 'https://' + host + location.pathname + '?' + i; document.body.append(f); } else { ${embedding} }`,
    ),
  ),
  page(
    "data-frames",
    script(
      `for (let i = 0; i < 150; i++) { const f = document.createElement('iframe'); f.src = 'data:text/html,' + encodeURIComponent('<script>const k = []; setInterval(() => k.push(new Uint8Array(2e7).fill(1)), 50)</' + 'script>' + i); document.body.append(f); }`,
    ),
  ),
  page(
    "sandboxed-frames",
    script(
      `for (let i = 0; i < 150; i++) { const f = document.createElement('iframe'); f.sandbox = 'allow-scripts'; f.srcdoc = '<script>const k = []; setInterval(() => k.push(new Uint8Array(2e7).fill(1)), 50)</' + 'script>'; document.body.append(f); }`,
    ),
  ),
  page(
    "frames-that-copy-themselves",
    `<script id=s>for (let i = 0; i < 3; i++) { const f = document.createElement('iframe'); f.srcdoc = document.getElementById('s').outerHTML; (document.body ?? document.documentElement).append(f); }</script>`,
  ),
  page(
    "objects-in-objects",
    `<object data="objects-in-objects?a" type="text/html"></object>${"<object data=nothing>".repeat(500)}${script("for (let i = 0; i < 8; i++) { const o = document.createElement('object'); o.data = '?' + Math.random(); document.body.append(o); }")}`,
  ),
  page(
    "pdf-files",
    script(
      "for (let i = 0; i < 60; i++) document.body.insertAdjacentHTML('beforeend', '<embed type=application/pdf src=file.pdf?' + i + '><object type=application/pdf data=file.pdf?o' + i + '></object><iframe src=file.pdf?f' + i + '></iframe>')",
    ),
    {
      files: {
        "file.pdf": {
          type: "application/pdf",
          body: `%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count 1/Kids[2 0 R]>>endobj\n${"%".repeat(2_000_000)}\ntrailer<</Root 1 0 R>>`,
        },
      },
    },
  ),
  page(
    "prerendered-pages",
    `<script>if (!document.prerendering) { const s = document.createElement('script'); s.type = 'speculationrules'; s.textContent = JSON.stringify({ prerender: [{ source: 'list', eagerness: 'immediate', urls: Array.from({ length: 50 }, (_, i) => '?' + i) }] }); document.head.append(s); }</script>${script(embedding)}`,
  ),
];

export const documentPages: readonly HostilePage[] = [...painting, ...layout, ...frames];
