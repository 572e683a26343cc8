/** Starts the worker of the timeline. The content policy wants its address from a policy of the page. */
// oxlint-disable-next-line import/default -- the bundler makes it.
import address from './filter-worker.ts?worker&url';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(text: string): string },
  ): { createScriptURL(text: string): string };
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };

/** Nothing but the files of the page. */
const policy = trustedTypes?.createPolicy('inspector', {
  createScriptURL(text) {
    if (new URL(text, location.href).origin !== location.origin)
      throw new Error('Only files of this page are scripts.');
    return text;
  },
});

export const startFilterWorker = (): Worker =>
  new Worker(policy?.createScriptURL(address) ?? address, { type: 'module' });
