/** References to other files: the files become parts of the document, and references to them its own. */
import { shown } from '../../lib/text/shown.ts';
import { type Fields, isRecord } from '../../lib/values/is.ts';
import { invalidDocument } from './document.ts';

/** Where the files are in the joined document. */
const place = 'x-tenon-files';

export interface JoinBounds {
  readonly read: (url: string) => Promise<Fields>;
  readonly maxFiles: number;
}

/** The files of a document by URL. Their names are those of the files alone: a model sees them, and never a path of this machine. */
class FileNames {
  readonly #names = new Map<string, string>();
  readonly #used = new Set<string>();

  nameOf(url: string): string {
    const known = this.#names.get(url);
    if (known !== undefined) return known;
    const own = (url.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_.-]+/g, '_');
    let name = own;
    for (let n = 2; this.#used.has(name); n++) name = `${own}_${n}`;
    this.#used.add(name);
    this.#names.set(url, name);
    return name;
  }
}

/** Reads every file that the document refers to, directly or not, and puts it into the document. */
export async function joinReferences(root: Fields, url: string, { read, maxFiles }: JoinBounds): Promise<Fields> {
  const names = new FileNames();
  const files: [string, Fields][] = [];
  const known = new Set([url]);
  const waiting: { readonly file: Fields; readonly base: string }[] = [{ file: root, base: url }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const found of pointAtParts(next.file, { base: next.base, rootUrl: url, names })) {
      if (known.has(found)) continue;
      known.add(found);
      if (known.size > maxFiles)
        throw invalidDocument(`The document refers to more than ${maxFiles} files.`, 'Bundle it into one file.');
      const file = await read(found);
      files.push([names.nameOf(found), file]);
      waiting.push({ file, base: found });
    }
  }
  return { ...root, [place]: Object.fromEntries(files) };
}

interface FilePlace {
  readonly base: string;
  readonly rootUrl: string;
  readonly names: FileNames;
}

/** Rewrites the references of one file, and returns the URLs of the files that they lead to. Without recursion: a file may be deep. */
function pointAtParts(file: Fields, { base, rootUrl, names }: FilePlace): Set<string> {
  const found = new Set<string>();
  // YAML may have one object in several places.
  const seen = new Set<object>([file]);
  for (const value of seen) {
    if (isRecord(value) && typeof value.$ref === 'string') {
      const { url, pointer } = targetOf(value.$ref, base);
      if (url !== rootUrl) found.add(url);
      value.$ref = url === rootUrl ? `#${pointer}` : `#/${place}/${names.nameOf(url)}${pointer}`;
    }
    for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) seen.add(member);
  }
  return found;
}

function targetOf(reference: string, base: string): { readonly url: string; readonly pointer: string } {
  try {
    const url = new URL(reference, base);
    const pointer = url.hash.slice(1);
    url.hash = '';
    return { url: url.href, pointer };
  } catch {
    throw invalidDocument(`The reference ${shown(reference)} is not a URL.`, 'Correct the reference.');
  }
}
