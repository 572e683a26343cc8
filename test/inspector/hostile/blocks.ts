/** Parts of results by which a server could try to run or load something: media, links, and embedded resources. */
import { run } from './texts.ts';

type Block = Readonly<Record<string, unknown>>;

export function hostileBlocks(elsewhere: string): readonly Block[] {
  const url = `${elsewhere}/block`;
  const html = btoa(`<!doctype html><img src="${url}"><script>${run}</script>`);
  const svg = btoa(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="4000" height="4000" onload="${run}">
    <script>${run}</script><script href="${url}"/><image href="${url}"/><use xlink:href="${url}#a"/>
    <style>@import "${url}"; rect { fill: url(${url}#a) }</style><rect width="9" height="9"/>
    <foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="${url}"/></foreignObject>
    <animate attributeName="href" values="javascript:${run}"/></svg>`,
  );
  const icons = [
    { src: url, mimeType: 'image/png' },
    { src: `data:image/svg+xml;base64,${svg}`, mimeType: 'image/svg+xml' },
    { src: `javascript:${run}` },
  ];
  const link = (uri: string): Block => ({ type: 'resource_link', uri, name: 'Click me', title: uri, icons });
  const embedded = (mimeType: string, text: string): Block => ({
    type: 'resource',
    resource: { uri: `ui://embedded/${mimeType}`, mimeType, text },
  });
  const blob = (mimeType: string, data: string): Block => ({
    type: 'resource',
    resource: { uri: url, mimeType, blob: data },
  });
  return [
    { type: 'image', data: svg, mimeType: 'image/svg+xml' },
    { type: 'image', data: html, mimeType: 'image/png' },
    { type: 'image', data: html, mimeType: 'text/html' },
    { type: 'image', data: svg, mimeType: 'image/svg+xml;charset=utf-8" onerror="x' },
    { type: 'image', data: `${url}?not-base64`, mimeType: 'image/png' },
    { type: 'image', data: '', mimeType: 'image/png' },
    { type: 'audio', data: html, mimeType: 'audio/mpeg' },
    { type: 'audio', data: html, mimeType: 'application/xhtml+xml' },
    blob('text/html', html),
    blob('application/xhtml+xml', html),
    blob('application/pdf', html),
    blob('image/svg+xml', svg),
    embedded('text/html', `<script>${run}</script><img src="${url}" onerror="${run}">`),
    embedded('text/html;profile=mcp-app', `<script>parent.${run}; top.location='${url}'</script>`),
    embedded('image/svg+xml', atob(svg)),
    embedded('text/markdown', `![a](${url})\n\n<img src="${url}">\n\n[x](javascript:${run}) <${url}> ${url}`),
    embedded('text/uri-list', url),
    link(`javascript:${run}`),
    link(`data:text/html,<script>${run}</script>`),
    link('file:///etc/passwd'),
    link(`vbscript:${run}`),
    link(url),
    link('//elsewhere.example'),
    { type: 'script', text: run, src: url },
    { type: 'text', text: 'annotated', annotations: { audience: ['user'], priority: 1, lastModified: `<b>${url}` } },
  ];
}

/** URLs of elicitations: the host that a click leads to, or none if the user must not be asked. */
export const hostileUrls = (elsewhere: string): readonly (readonly [url: string, host: string | undefined])[] => [
  [`javascript:${run}`, undefined],
  [` javascript:${run}//http://`, undefined],
  [`JaVaScRiPt://a.example/%0a${run}`, undefined],
  [`data:text/html,<script>${run}</script>`, undefined],
  ['file:///etc/passwd', undefined],
  [`blob:${elsewhere}/1`, undefined],
  ['https://', undefined],
  ['https://bank.example@evil.example/login', undefined],
  ['https://bank.example:80%40@evil.example', undefined],
  ['https://bаnk.example/', 'xn--bnk-6cd.example'],
  ['https://bank.example\u2044login.evil.example/', 'bank.xn--examplelogin-xk0g.evil.example'],
  ['https://evil.example/\u202Emoc.knab//:sptth', 'evil.example'],
  ['https://bank.example.evil.example/https://bank.example', 'bank.example.evil.example'],
];
