/** Attempts of a hostile page to make the browser reach an address. */

/** Address of the listener that no page may reach. */
export const secretAddress = "127.0.0.2";

/** An attempt: content of the page at `http://site.test/`, for a given endpoint of the secret. */
type Trick = readonly [words: string, html: (place: string) => string];

export const script = (code: string) => `<script>${code}</script>`;

/** Gathers WebRTC candidates with a STUN or TURN server, and sets the title when done. */
export const relay = (url: string) =>
  script(`
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "${url}", username: "u", credential: "c" }] });
    peer.onicegatheringstatechange = () => { if (peer.iceGatheringState === "complete") document.title = "gathered"; };
    peer.createDataChannel("x");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));`);

/** Attempts that cause a request, which the proxy must refuse. */
export const tricks: readonly Trick[] = [
  ["meta refresh", (place) => `<meta http-equiv="refresh" content="0;url=http://${place}/">`],
  ["navigation by script", (place) => script(`location.href = "http://${place}/"`)],
  ["popup", (place) => script(`window.open("http://${place}/")`)],
  ["image", (place) => `<img src="http://${place}/i.png">`],
  ["script", (place) => `<script src="http://${place}/s.js"></script>`],
  ["style sheet", (place) => `<link rel="stylesheet" href="http://${place}/s.css">`],
  ["style import", (place) => `<style>@import "http://${place}/s.css";</style>`],
  [
    "font",
    (place) => `<style>@font-face { font-family: x; src: url("http://${place}/f.woff2"); } p { font-family: x; }</style><p>text</p>`,
  ],
  ["video", (place) => `<video src="http://${place}/v.mp4" preload="auto" autoplay muted></video>`],
  ["object", (place) => `<object data="http://${place}/o"></object>`],
  ["embed", (place) => `<embed src="http://${place}/e">`],
  ["iframe", (place) => `<iframe src="http://${place}/"></iframe>`],
  ["iframe of srcdoc", (place) => `<iframe srcdoc="<img src='http://${place}/'>"></iframe>`],
  ["iframe of data:", (place) => `<iframe src="data:text/html,<img src='http://${place}/'>"></iframe>`],
  [
    "iframe of blob:",
    (place) =>
      script(`
    const frame = document.createElement("iframe");
    frame.src = URL.createObjectURL(new Blob(["<img src='http://${place}/'>"], { type: "text/html" }));
    document.documentElement.append(frame);`),
  ],
  ["redirected image", (place) => `<img src="/redirect?http://${place}/">`],
  ["redirected iframe", (place) => `<iframe src="/redirect?http://${place}/"></iframe>`],
  ["preload", (place) => `<link rel="preload" as="fetch" href="http://${place}/">`],
  ["form", (place) => `<form method="post" action="http://${place}/"></form>${script("document.forms[0].submit()")}`],
  ["fetch", (place) => script(`fetch("http://${place}/", { mode: "no-cors" })`)],
  ["redirected fetch", (place) => script(`fetch("/redirect?http://${place}/", { mode: "no-cors" })`)],
  ["XMLHttpRequest", (place) => script(`const x = new XMLHttpRequest(); x.open("GET", "http://${place}/"); x.send()`)],
  ["beacon", (place) => script(`navigator.sendBeacon("http://${place}/", "x")`)],
  ["event stream", (place) => script(`new EventSource("http://${place}/")`)],
  ["websocket", (place) => script(`new WebSocket("ws://${place}/")`)],
  [
    "worker that fetches",
    (place) =>
      script(`
    new Worker(URL.createObjectURL(new Blob(["fetch('http://${place}/', { mode: 'no-cors' })"])))`),
  ],
  ["worker with a websocket", (place) => script(`new Worker(URL.createObjectURL(new Blob(["new WebSocket('ws://${place}/')"])))`)],
  ["WebRTC relay over TCP", (place) => relay(`turn:${place}?transport=tcp`)],
  ["address as a number", (place) => `<img src="http://${0x7f000002}:${place.split(":")[1]}/">`],
  ["address in hexadecimal", (place) => `<img src="http://0x7f.2:${place.split(":")[1]}/">`],
  ["address mapped into IPv6", (place) => `<img src="http://[::ffff:${secretAddress}]:${place.split(":")[1]}/">`],
  ["a name of its own", (place) => `<img src="http://secret.test:${place.split(":")[1]}/">`],
];
