/** One name of the API reference: its comment as Markdown, and its declaration as code. */
import ts from 'typescript';

/** Tags that say something to a caller, with the words that begin their line. */
const shownTags: Readonly<Record<string, string>> = {
  param: 'Parameter',
  returns: 'Returns',
  throws: 'Throws',
  default: 'Default:',
  beyond: 'Beyond it:',
  deprecated: 'Deprecated:',
};

/** Paragraphs. `addresses` has the address of each name that a comment may link. */
export function commentOf(
  symbol: ts.Symbol,
  checker: ts.TypeChecker,
  addresses: ReadonlyMap<string, string>,
): readonly string[] {
  const text = linked(ts.displayPartsToString(symbol.getDocumentationComment(checker)), addresses).trim();
  const tags = symbol.getJsDocTags(checker).map(({ name, text: parts }) => ({
    name,
    text: linked(ts.displayPartsToString(parts), addresses).trim(),
  }));
  const lines = tags.flatMap(({ name, text: about }) =>
    shownTags[name] === undefined ? [] : [`- ${shownTags[name]} ${about.replaceAll('\n', ' ')}`],
  );
  const examples = tags.filter(({ name }) => name === 'example').map(({ text: code }) => fenced(code));
  return [...(text === '' ? [] : [text]), ...(lines.length === 0 ? [] : [lines.join('\n')]), ...examples];
}

const fenced = (code: string): string => (code.includes('```') ? code : `\`\`\`ts\n${code}\n\`\`\``);

const linked = (text: string, addresses: ReadonlyMap<string, string>): string =>
  text.replace(/\{@link(?:code|plain)?\s+([^}\s|]+)[\s|]*([^}]*)\}/g, (_, name: string, label: string) => {
    const shown = label.trim() === '' ? name : label.trim();
    const address = addresses.get(name);
    return address === undefined ? `\`${shown}\`` : `[${shown}](${address})`;
  });

/** Without `export` and `declare`, and without what a caller cannot reach. */
export function declarationOf(name: string, node: ts.Declaration): string {
  if (ts.isVariableDeclaration(node)) {
    const type = node.type ?? node.initializer;
    return `const ${name}: ${type === undefined ? 'any' : indented(type.getText())}`;
  }
  return indented(node.getText())
    .replace(/^(?:export |default |declare )+/, '')
    .replace(/^ *(?:private [^\n]*|#private);\n/gm, '');
}

/** By two spaces a level, as the code of the guide. */
const indented = (text: string): string => text.replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2));
