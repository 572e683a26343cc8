/** The media type of a file of a skill, by the end of its name. */

const types: Readonly<Record<string, string>> = {
  css: 'text/css',
  csv: 'text/csv',
  gif: 'image/gif',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mjs: 'text/javascript',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  sh: 'application/x-sh',
  svg: 'image/svg+xml',
  toml: 'application/toml',
  ts: 'text/x-typescript',
  txt: 'text/plain',
  webp: 'image/webp',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

export function mediaTypeOf(path: string, isText: boolean): string {
  const ending = /\.([a-z\d]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  return types[ending] ?? (isText ? 'text/plain' : 'application/octet-stream');
}
