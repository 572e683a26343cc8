/** What one hostile app tries, one after the other. Each is code that throws, or returns whether it was let through. */

/** `url` leads elsewhere, `api` to a call of the inspector, `udp` is a port elsewhere. All are expressions of the app. */
export const tries: readonly (readonly [name: string, code: string])[] = [
  ['read the document of its parent', `parent.document.title !== undefined`],
  ['read the document of the page', `top.document.title !== undefined`],
  ['read the address of the page', `top.location.href !== undefined`],
  ['run code of the page', `top.hostileRan()`],
  ['run code of the proxy', `parent.eval('hostileRan()')`],
  ['read the key of the tab', `top.sessionStorage.length >= 0`],
  ['read storage', `localStorage.length + sessionStorage.length >= 0`],
  ['read cookies', `document.cookie !== undefined`],
  ['open a database', `await promised(indexedDB.open('x'), 'onsuccess')`],
  ['open a cache', `await caches.open('x')`],
  ['navigate the page', `top.location.href = url, false`],
  ['replace the page', `top.location.replace(url), false`],
  ['navigate its proxy', `parent.location.href = url, false`],
  ['go back in the history of the page', `history.back(), history.go(-2), false`],
  ['open a window', `open(url) !== null`],
  ['open the page anew', `open(url, '_top') !== null`],
  ['open its parent anew', `open(url, '_parent') !== null`],
  ['click a link to the page', `click('a', { href: url, target: '_top' })`],
  ['click a link to a new tab', `click('a', { href: url, target: '_blank', ping: url })`],
  ['save a file', `click('a', { href: 'data:text/html,x', download: 'x.html' })`],
  ['send a form', `sendForm('_self')`],
  ['send a form to the page', `sendForm('_top')`],
  ['show a dialog', `alert(1), confirm(1), prompt(1), print(), false`],
  ['fetch', `await fetch(url, { mode: 'no-cors' })`],
  ['fetch a call of the inspector', `await fetch(api, { method: 'POST', body: '{}' })`],
  ['fetch a call of the inspector without CORS', `await fetch(api, { method: 'POST', body: '{}', mode: 'no-cors' })`],
  ['send a request', `await promised(sent(), 'onload')`],
  ['send a beacon', `navigator.sendBeacon(url, 'x') && false`],
  ['open a socket', `await promised(new WebSocket(url.replace('http', 'ws')), 'onopen')`],
  ['open a stream of events', `await promised(new EventSource(url), 'onopen')`],
  ['open a transport', `await new WebTransport(url.replace('http', 'https')).ready`],
  ['connect to a peer', `await peer()`],
  ['start a worker', `await promised(new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))), 'onmessage')`],
  ['start a shared worker', `new SharedWorker('data:text/javascript,1').port !== undefined`],
  ['register a service worker', `await navigator.serviceWorker.register('/x.js')`],
  ['import a module', `await import(url)`],
  ['load an image', `await loaded('img', { src: url })`],
  ['load a script', `await loaded('script', { src: url })`],
  ['load a style', `await loaded('link', { rel: 'stylesheet', href: url })`],
  ['load a video', `await loaded('video', { src: url, poster: url, autoplay: '' })`],
  ['load a frame', `add('iframe', { src: url }) && false`],
  [
    'load a frame of data',
    `add('iframe', { src: 'data:text/html,<script>top.location="' + url + '"</' + 'script>' }) && false`,
  ],
  ['load an object', `add('object', { data: url }) && add('embed', { src: url }) && false`],
  [
    'prefetch',
    `add('link', { rel: 'prefetch', href: url }) && add('link', { rel: 'modulepreload', href: url }) && false`,
  ],
  [
    'preload',
    `add('link', { rel: 'preload', as: 'image', href: url }) && add('link', { rel: 'prerender', href: url }) && false`,
  ],
  ['import a style', `add('style', {}, '@import "' + url + '"; body { background: url(' + url + ') }') && false`],
  [
    'speculate',
    `add('script', { type: 'speculationrules' }, JSON.stringify({ prefetch: [{ source: 'list', urls: [url] }] })) && false`,
  ],
  ['change the base', `add('base', { href: url }) && document.baseURI.startsWith(url)`],
  ['relax its policy', `add('meta', { 'http-equiv': 'content-security-policy', content: 'default-src *' }) && false`],
  ['fill the screen', `await document.documentElement.requestFullscreen().then(() => true)`],
  ['lock the pointer', `await document.documentElement.requestPointerLock().then(() => true)`],
  ['read the clipboard', `await navigator.clipboard.readText()`],
  ['write to the clipboard', `await navigator.clipboard.writeText('x').then(() => true)`],
  ['use the camera', `await navigator.mediaDevices.getUserMedia({ video: true })`],
  ['locate the user', `await new Promise((yes, no) => navigator.geolocation.getCurrentPosition(yes, no))`],
  ['show notifications', `(await Notification.requestPermission()) === 'granted'`],
  ['open a file', `await showOpenFilePicker()`],
  ['forge messages of its proxy', `forge('ui/notifications/sandbox-resource-ready', { html: 'x' })`],
  [
    'talk to the page itself',
    `top.postMessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'fails' } }, '*'), false`,
  ],
];

/** What the code of the tries uses. */
export const tools = `
  const add = (name, fields, text = '') => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(fields)) element.setAttribute(key, value);
    element.textContent = text;
    document.body.append(element);
    return element;
  };
  const click = (name, fields) => (add(name, fields).click(), false);
  const sendForm = (target) => (add('form', { action: url, method: 'post', target }).submit(), false);
  const promised = (target, name) => new Promise((yes, no) => { target[name] = yes; target.onerror = no; });
  const loaded = (name, fields) => { const element = add(name, fields); return promised(element, name === 'video' ? 'onloadeddata' : 'onload'); };
  const sent = () => { const request = new XMLHttpRequest(); request.open('GET', url); request.send(); return request; };
  const peer = async () => {
    const connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + udp }] });
    connection.createDataChannel('x');
    await connection.setLocalDescription(await connection.createOffer());
    return false;
  };
  const forge = (method, params) => (parent.postMessage({ jsonrpc: '2.0', method, params }, '*'), top.postMessage({ jsonrpc: '2.0', method, params }, '*'), false);
`;
