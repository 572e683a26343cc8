/** The page between the inspector and an app: shows the app in an inner frame, and passes messages on. */

/** Messages between the inspector and this page itself, which an app neither sends nor gets. */
const ownMessages = 'ui/notifications/sandbox-';

/**
 * Messages of an app that are passed on in a turn. More would stop the page of the inspector.
 * @limit inspector
 * @default 20 in 50 ms
 * @beyond the others wait for the next turn
 */
const perTurn = 20;

const turnMs = 50;

/**
 * Messages of an app that wait for a turn. Counted, not timed, so that it holds on a slow machine.
 * @limit inspector
 * @beyond the app is closed
 */
const maxWaiting = 400;

/**
 * Characters of one message of an app, and of all that wait: a large one would stop the page of the inspector.
 * @limit inspector
 * @default 1,000,000 of one, 4,000,000 of those that wait
 * @beyond the app is closed
 */
const maxMessageChars = 1_000_000;

const maxWaitingChars = 4 * maxMessageChars;

/** `page` is the origin of the inspector: no other may talk to it. */
export const proxyPage = (page: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>App</title>
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; background: transparent }</style>
<body>
<script>
(() => {
  const page = ${JSON.stringify(page)};
  const own = ${JSON.stringify(ownMessages)};
  let app;
  const isOwn = (data) => typeof data?.method === 'string' && data.method.startsWith(own);
  addEventListener('message', ({ source, origin, data }) => {
    if (source === parent && origin === page) {
      if (data?.method === own + 'resource-ready' && app === undefined) show(data.params);
      else if (!isOwn(data)) app?.contentWindow?.postMessage(data, '*');
    } else if (app && source === app.contentWindow && !isOwn(data)) pass(data);
  });
  const waiting = [];
  let waitingChars = 0;
  let passed = 0;
  let turn;
  // Stops as soon as there are too many: a message is measured, never written. What is no JSON counts as too large.
  function charsOf(data) {
    let chars = 0;
    const left = [data];
    while (left.length > 0 && chars <= ${maxMessageChars}) {
      const value = left.pop();
      chars += 1;
      if (typeof value === 'string') chars += value.length;
      else if (Array.isArray(value)) {
        chars += value.length;
        if (chars <= ${maxMessageChars}) for (const one of value) left.push(one);
      } else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Blob || value instanceof Map || value instanceof Set)
        return Infinity;
      else if (typeof value === 'object' && value !== null)
        for (const key in value) {
          chars += key.length + 1;
          if (chars > ${maxMessageChars}) break;
          left.push(value[key]);
        }
    }
    return chars;
  }
  function pass(data) {
    const chars = charsOf(data);
    waitingChars += chars;
    if (chars > ${maxMessageChars} || waitingChars > ${maxWaitingChars} || waiting.push({ data, chars }) > ${maxWaiting}) return remove();
    if (passed < ${perTurn}) passOn();
  }
  function passOn() {
    const next = waiting.splice(0, ${perTurn} - passed);
    passed += next.length;
    for (const { data, chars } of next) {
      waitingChars -= chars;
      parent.postMessage(data, page);
    }
    turn ??= setTimeout(() => {
      turn = undefined;
      passed = 0;
      if (waiting.length > 0) passOn();
    }, ${turnMs});
  }
  function remove() {
    app.remove();
    app = null;
    waiting.length = 0;
    waitingChars = 0;
    parent.postMessage({ jsonrpc: '2.0', method: own + 'app-removed', params: {} }, page);
  }
  function show(params) {
    app = document.createElement('iframe');
    app.setAttribute('sandbox', 'allow-scripts');
    app.title = 'App';
    app.srcdoc = String(params?.html ?? '');
    document.body.append(app);
  }
  parent.postMessage({ jsonrpc: '2.0', method: own + 'proxy-ready', params: {} }, page);
})();
</script>
</body>
</html>
`;
