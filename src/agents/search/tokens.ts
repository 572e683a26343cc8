/** Estimates how many tokens a text costs, without the tokenizer of a provider. */

/**
 * Characters of a token. Measured on 318 tools of 19 servers against o200k: 12 % off for the median tool, and 9 % too
 * many in all, so a budget is kept.
 */
const charsPerToken = 4;

/** The tokens that so many characters are at least. */
export const tokensFor = (chars: number): number => Math.max(0, Math.floor(chars / charsPerToken));

/** The tokens of a text, rounded up. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / charsPerToken);
