/** Verifies the files of a skill by its entry. A match shows that they belong together, not that they can be trusted. */
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { fromBase64 } from '../../lib/text/base64.ts';
import { canonicalJson } from '../../lib/text/canonical-json.ts';
import type { ReadResourceResult } from '../../protocol/generated/types/records.ts';
import type { SkillEntry, SkillFile } from './contract.ts';
import { digestOf } from './digest.ts';
import { readFrontmatter } from './frontmatter.ts';

/** The part that does not match the entry: the file is not listed, its length, its bytes, its frontmatter. */
export type VerificationFailure = 'unlisted' | 'size' | 'digest' | 'frontmatter' | 'contents' | 'dynamic';

export const unverified = (uri: string, reason: VerificationFailure, text: string): TenonError =>
  new TenonError('skill-verification-failed', `${uri}: ${text}.`, {
    hint: 'Do not use it; read the entry of the skill again and request approval for it.',
    details: { uri, reason },
  });

/** The only part of a read result, which is the file. */
export function fileIn({ contents }: ReadResourceResult, uri: string): { bytes: Uint8Array; mimeType?: string } {
  const [found, ...others] = contents.filter((part) => part.uri === uri);
  if (found === undefined || others.length > 0) throw unverified(uri, 'contents', 'the result is not this one file');
  const about = found.mimeType === undefined ? {} : { mimeType: found.mimeType };
  if ('blob' in found) return { bytes: decoded(found.blob, uri), ...about };
  return { bytes: new TextEncoder().encode(found.text), ...about };
}

function decoded(blob: string, uri: string): Uint8Array {
  try {
    return fromBase64(blob);
  } catch {
    throw unverified(uri, 'contents', 'its bytes are not Base64');
  }
}

/** The length is checked first: a file of another length need not be hashed. */
export async function checkFile({ uri, size, digest }: SkillFile, bytes: Uint8Array): Promise<void> {
  if (bytes.length !== size) throw unverified(uri, 'size', `it has ${bytes.length} bytes and not ${size}`);
  if ((await digestOf(bytes)) !== digest) throw unverified(uri, 'digest', 'its digest is another');
}

/** The frontmatter has to equal that of the entry. */
export async function checkFrontmatter({ uri, frontmatter }: SkillEntry, text: string): Promise<void> {
  const found = await readFrontmatter(text);
  if (found === undefined || canonicalJson(found) !== canonicalJson(frontmatter))
    throw unverified(uri, 'frontmatter', 'its frontmatter is not that of its entry');
}

/**
 * A text that identifies exactly these files of this origin, to store with an approval: when it changes, the approval is
 * void. `undefined` for a dynamic skill, whose files cannot be identified.
 */
export async function approvalKey(origin: string, { uri, resources }: SkillEntry): Promise<string | undefined> {
  if (resources === 'dynamic') return undefined;
  const files = resources.map((file) => [file.uri, file.digest]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return digestOf(new TextEncoder().encode(JSON.stringify([origin, uri, files])));
}
