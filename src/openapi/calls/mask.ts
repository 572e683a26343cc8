/** Takes the credentials of a request out of what the API answered: some APIs repeat them. */
import { masked } from '../../lib/text/secret-text.ts';

/** Shorter texts are found in places where they are no secrets. */
const shortest = 6;

/** Masks each secret as it is, in JSON, and in a URL. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of secrets) {
    if (secret.length < shortest) continue;
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of new Set([secret, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(secret)]))
      result = result.replaceAll(form, masked);
  }
  return result;
}
