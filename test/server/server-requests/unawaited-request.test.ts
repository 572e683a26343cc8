/** A server request that its handler does not await. */

import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { filledBy, form, formModes, opened, run } from '../../kit/server-request-modes.ts';

describe.each(formModes)('A server request that is not awaited, $name', (mode) => {
  it('rejects when the handler has returned, and does not crash the process', async () => {
    const rejected = deferred();
    const { client } = await opened(
      mode,
      (context) => {
        context.elicit('late', form('late')).catch((error) => rejected.resolve(error));
        void context.elicit('later', form('later'));
        return 'did not wait';
      },
      { handlers: { elicitForm: filledBy({}) } },
    );
    expect(await run(client)).toBe('did not wait');
    expect(await rejected.promise).toMatchObject({ code: mode.repeats ? 'input-required' : 'server-request-failed' });
  });
});
