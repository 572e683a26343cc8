/** Reads the members of a rule that are lists of texts. */
import type { Member, PolicySource } from './source.ts';

type Members = ReadonlyMap<string, Member>;

type CheckText = (name: string, text: string) => readonly [problem: string, hint: string] | undefined;

/** Each member as its list of texts. */
export function readTexts(
  source: PolicySource,
  members: Members,
  place: string,
  check: CheckText = () => undefined,
): Record<string, readonly string[]> {
  const read = [...members].map(([name, { value }]) => {
    const texts = source.texts(value, `${place}.${name}`) ?? [];
    for (const [text, node] of texts) {
      const found = check(name, text);
      if (found !== undefined) source.report(node, `${place}.${name}`, ...found);
    }
    return [name, texts.map(([text]) => text)] as const;
  });
  return Object.fromEntries(read);
}
