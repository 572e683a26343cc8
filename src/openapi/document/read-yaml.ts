/** Reads the YAML of a document in a time that grows with its length, however it is written. */
import { Lexer, parse } from 'yaml';
import { invalidDocument } from './document.ts';

/**
 * Tokens of the YAML of a document: a line such as `name: Ada` has five. The parser needs about a kilobyte for each value.
 * @limit OpenAPI
 * @beyond the document is rejected
 * @code invalid-openapi
 */
const maxYamlTokens = 2_000_000;

/**
 * Tokens that the parser passes on its way from the beginning to the values that are repeated by an alias such as `*name`.
 * @limit OpenAPI
 * @beyond the document is rejected
 * @code invalid-openapi
 */
const maxAliasSteps = 20_000_000;

export function readYaml(text: string): unknown {
  checkCost(text);
  // As in JSON the last of two equal keys counts: to find them the parser compares each key with all others.
  return parse(text, { logLevel: 'error', uniqueKeys: false });
}

function checkCost(text: string): void {
  let [tokens, steps] = [0, 0];
  for (const token of new Lexer().lex(text)) {
    tokens++;
    if (token.startsWith('*')) steps += tokens;
    if (tokens > maxYamlTokens)
      throw invalidDocument('The OpenAPI document is too long for YAML.', 'Convert it to JSON, which is read faster.');
    if (steps > maxAliasSteps)
      throw invalidDocument(
        'The OpenAPI document has too many aliases of YAML.',
        'Convert it to JSON, or write them out.',
      );
  }
}
