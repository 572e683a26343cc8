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

/** Reads every file that the document refers to, directly or not, and puts it into the document. */
export async function joinReferences(root: Fields, url: string, { read, maxFiles }: JoinBounds): Promise<Fields> {
  const files: Fields = Object.create(null);
  const known = new Set([url]);
  const waiting: { readonly file: Fields; readonly base: string }[] = [{ file: root, base: url }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const found of pointAtParts(next.file, next.base, url)) {
      if (known.has(found)) continue;
      known.add(found);
      if (known.size > maxFiles)
        throw invalidDocument(`The document refers to more than ${maxFiles} files.`, 'Bundle it into one file.');
      const file = await read(found);
      files[found] = file;
      waiting.push({ file, base: found });
    }
  }
  return { ...root, [place]: files };
}

/** Rewrites the references of one file, and returns the URLs of the files that they lead to. Without recursion: a file may be deep. */
function pointAtParts(file: Fields, base: string, rootUrl: string): Set<string> {
  const found = new Set<string>();
  // YAML may have one object in several places.
  const seen = new Set<object>([file]);
  for (const value of seen) {
    if (isRecord(value) && typeof value.$ref === 'string') {
      const target = targetOf(value.$ref, base);
      if (target.url !== rootUrl) found.add(target.url);
      value.$ref = target.url === rootUrl ? `#${target.pointer}` : `#/${place}/${escaped(target.url)}${target.pointer}`;
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

/** As a part of a pointer in a URL fragment. */
const escaped = (url: string): string => encodeURIComponent(url.replaceAll('~', '~0').replaceAll('/', '~1'));
