/** Hostile apps. Each sends a message when it has tried what it is named for. */
import { tools, tries } from './tries.ts';

/** What an attacker may know of the machine. */
export interface Surroundings {
  /** An origin that nothing may reach. */
  readonly elsewhere: string;
  readonly udpPort: number;
  /** The origin of the inspector, once it is known. */
  inspector: string;
}

export interface HostileApp {
  readonly name: string;
  readonly html: string;
  /** What the page shows once the app has tried. Default: its message. */
  readonly shows?: string;
  readonly ui?: Readonly<Record<string, unknown>>;
}

const page = (script: string, body = ''): string => `<!doctype html><body>${body}<script>
  const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const done = (text = '') => post({ id: 'done', method: 'ui/message', params: { done: text } });
  ${script}
</script>`;

export function hostileApps({ elsewhere, udpPort, inspector }: Surroundings): readonly HostileApp[] {
  const url = `${elsewhere}/app`;
  return [
    { name: 'tries everything', html: page(trying(url, udpPort)) },
    {
      name: 'tries everything with declared domains',
      html: page(trying(url, udpPort)),
      ui: {
        csp: {
          connectDomains: [inspector, `${elsewhere}; script-src *`, '*', "'unsafe-eval'", 'https:', 'data:'],
          resourceDomains: [inspector, `https://a.example\r\nx: y`, '*'],
          frameDomains: [inspector, 'blob:', 'data:'],
          baseUriDomains: ['*'],
        },
        permissions: { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} },
        domain: 'elsewhere.example',
      },
    },
    { name: 'leaves by its address', html: page(`done(); location.href = '${url}';`) },
    { name: 'leaves by a refresh', html: page('done();', `<meta http-equiv="refresh" content="0;url=${url}">`) },
    {
      name: 'becomes another document',
      html: page(
        `done(); location.href = 'data:text/html,x'; document.open(); document.write('<script>top.hostileRan()</' + 'script>');`,
      ),
    },
    {
      name: 'nests frames',
      html: page(
        `done();`,
        `<iframe srcdoc="<script>top.hostileRan(); top.location='${url}'</script>"></iframe><iframe name="top" src="javascript:top.hostileRan()"></iframe>`,
      ),
    },
    {
      name: 'covers the page',
      html: page(
        `document.querySelector('dialog').showModal(); document.querySelector('[popover]').showPopover(); done();`,
        `<style>html, body, dialog, [popover] { position: fixed; inset: -9999px; width: 99999px; height: 99999px; z-index: 2147483647 }</style><dialog>x</dialog><div popover>x</div>`,
      ),
      ui: { prefersBorder: false },
    },
    {
      name: 'grows without end',
      html: page(`
        for (const height of [1e9, -1e9, NaN, Infinity, '100vh', null, {}, 1e9]) post({ method: 'ui/notifications/size-changed', params: { width: height, height } });
        done();`),
    },
    {
      name: 'sends broken messages',
      html: page(`
        for (const params of [null, 5, 'x', [], [null]])
          for (const method of ['ui/notifications/size-changed', 'notifications/message', 'ui/notifications/initialized', 'tools/call', 'ui/open-link', '__proto__', {}, null, 5]) {
            post({ method, params });
            post({ id: {}, method, params });
            post({ id: null, method, params, result: {} });
          }
        parent.postMessage(null, '*'); parent.postMessage('x', '*'); parent.postMessage([], '*');
        done();`),
    },
    {
      name: 'calls tools',
      shows: 'The app wants to call the tool fails',
      html: page(`
        post({ id: 0, method: 'ui/initialize', params: { protocolVersion: '1' } });
        post({ method: 'ui/notifications/initialized' });
        for (let at = 0; at < 100; at++) post({ id: 't' + at, method: 'tools/call', params: { name: 'fails', arguments: { at } } });
        done();`),
    },
    {
      name: 'opens links',
      shows: 'The app wants to open a page',
      html: page(`
        for (const url of ['javascript:hostileRan()', 'file:///etc/passwd', 'data:text/html,x', '${url}', ' ${url}', '//elsewhere.example'])
          post({ id: url, method: 'ui/open-link', params: { url } });
        done();`),
    },
    {
      name: 'sends messages without end',
      shows: 'The app was closed: it sent too many messages.',
      html: page(
        `done(); const flood = () => { for (let at = 0; at < 500; at++) post({ method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(1000) } }); setTimeout(flood, 0); }; flood();`,
      ),
    },
    { name: 'runs without end', html: page(`done(); setTimeout(() => { for (;;); }, 20);`) },
  ];
}

/** Reports which tries were let through. */
const trying = (url: string, udpPort: number): string => `
  const url = '${url}', udp = ${udpPort}, api = [...location.ancestorOrigins].at(-1) + '/api/overview';
  ${tools}
  const tries = {${tries.map(([name, code]) => `\n    ${JSON.stringify(name)}: async () => (${code}),`).join('')}
  };
  // What is neither let through nor refused by then was dropped.
  const later = new Promise((resolve) => setTimeout(resolve, 700, false));
  const attempts = Object.entries(tries).map(async ([name, attempt]) => {
    try { return (await Promise.race([attempt(), later])) ? [name] : []; } catch { return []; }
  });
  Promise.all(attempts).then((found) => done(found.flat().join(', ') || 'nothing'));
`;
