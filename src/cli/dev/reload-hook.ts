/** Lets Node load the files of a project again: a hook gives them the generation of the file that imports them. */
import { createRequire, register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';

const query = 'tenon-dev';

/**
 * Runs in the thread of Node's hooks. Packages are loaded once, this one included: a server and what serves it must be of
 * one copy. Each file of the project is reported, also one that is missing.
 */
const hook = `
let port, folder;
export function initialize(data) { ({ port, folder } = data); }
const isOwn = (url) => url.startsWith(folder) && !url.includes('/node_modules/');
export async function resolve(specifier, context, next) {
  const generation = /[?&]${query}=(\\d+)/.exec(context.parentURL ?? '')?.[1] ?? /[?&]${query}=(\\d+)/.exec(specifier)?.[1];
  if (generation === undefined || /^(node:|tenon(\\/|$))/.test(specifier)) return next(specifier, context);
  let found;
  try {
    found = await next(specifier, context);
  } catch (error) {
    if (/^\\.{0,2}\\//.test(specifier)) port.postMessage(new URL(specifier, context.parentURL).href);
    throw error;
  }
  if (!isOwn(found.url)) return found;
  port.postMessage(found.url);
  if (/[?&]${query}=/.test(found.url)) return found;
  return { ...found, url: found.url + (found.url.includes('?') ? '&' : '?') + '${query}=' + generation };
}`;

export interface Reloading {
  /** The query under which a file and what it imports are loaded again. */
  next(): string;
}

/** `folder` is the URL of the project, with a slash at the end; `onFile` gets the URL of each of its files that is loaded. */
export function reloadModules(folder: string, onFile: (url: string) => void): Reloading {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', (url: string) => onFile(url.split('?')[0] ?? url));
  port1.unref();
  register(`data:text/javascript,${encodeURIComponent(hook)}`, {
    data: { port: port2, folder },
    transferList: [port2],
  });
  let generation = 0;
  return {
    next() {
      forgetRequired(folder);
      generation++;
      return `?${query}=${generation}`;
    },
  };
}

/** What CommonJS has loaded of the project. */
function forgetRequired(folder: string): void {
  const { cache } = createRequire(import.meta.url);
  const root = decodeURI(folder.replace(/^file:\/\//, ''));
  for (const path of Object.keys(cache))
    if (path.startsWith(root) && !path.includes('/node_modules/')) delete cache[path];
}
