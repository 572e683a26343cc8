/** Which features of an upstream are served, and under which names. */
import { nameOf } from '../../host/lists/names.ts';
import type { Fields } from '../../lib/values/is.ts';
import type { UpstreamOptions } from '../types.ts';
import type { Catalogue } from './catalogue.ts';
import { ownUris, type Uris, uriPrefix } from './uris.ts';

export interface Naming {
  /** What names begin with, before `__`; empty if they stay. */
  readonly prefix: string;
  readonly uris: Uris;
  /** Whether a tool, a prompt or a resource is served, by its name or URI at the upstream. */
  serves(name: string): boolean;
  /** Whether a URI is hidden that a template which is served may lead to, also if it is written with escapes. */
  hides(uri: string): boolean;
  /** The name for callers. */
  shown(name: string): Promise<string>;
}

/** `isOnly`: there is no other upstream, so that nothing needs a prefix. */
export function namingOf(
  upstream: string,
  { prefix = upstream, expose, hide = [], rename = {} }: UpstreamOptions,
  isOnly: boolean,
): Naming {
  const [exposed, hidden] = [expose && matcherOf(expose), matcherOf(hide)];
  return {
    prefix,
    uris: isOnly ? ownUris : uriPrefix(upstream),
    serves: (name) => (exposed === undefined || exposed(name)) && !hidden(name),
    hides: (uri) => hidden(uri) || hidden(decoded(uri)),
    shown: async (name) => {
      const own = Object.hasOwn(rename, name) ? (rename[name] as string) : name;
      return prefix === '' ? own : nameOf({ server: prefix, originalName: own });
    },
  };
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** A single upstream has no prefix unless it sets one. */
export const namingFor = (upstream: string, options: UpstreamOptions, isOnly: boolean): Naming =>
  namingOf(upstream, isOnly ? { prefix: '', ...options } : options, isOnly);

/** `*` stands for any text. Linear in the text for each star: a name is never compared by a regular expression. */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const plain = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const parts = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (name) => plain.has(name) || parts.some((pieces) => fits(name, pieces));
}

function fits(name: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found === -1 || found + piece.length > name.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}

/** What is served of a catalogue. */
export function servedPart(catalogue: Catalogue, { serves }: Naming): Catalogue {
  const only = (list: readonly Fields[], key: string): readonly Fields[] => {
    const served = list.filter((record) => serves(String(record[key])));
    return served.length === list.length ? list : served;
  };
  return {
    ...catalogue,
    tools: only(catalogue.tools, 'name'),
    resources: only(catalogue.resources, 'uri'),
    templates: only(catalogue.templates, 'uriTemplate'),
    prompts: only(catalogue.prompts, 'name'),
  };
}

/** The names of its tools and prompts for callers. */
export async function shownNames({ tools, prompts }: Catalogue, naming: Naming): Promise<ReadonlyMap<string, string>> {
  const names = new Set([...tools, ...prompts].map(({ name }) => String(name)));
  return new Map(await Promise.all([...names].map(async (name) => [name, await naming.shown(name)] as const)));
}
