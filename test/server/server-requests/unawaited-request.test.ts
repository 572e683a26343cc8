/** A question that its handler does not wait for. */

import { describe, expect, it } from 'vitest';
import { deferred } from '../../kit/deferred.ts';
import { filledBy, form, formModes, opened, run } from '../../kit/server-request-modes.ts';

describe.each(formModes)('A question that nobody waits for, $name', (mode) => {
  it('is refused when the handler is done, and the process does not die of it', async () => {
    const refused = deferred();
    const { client } = await opened(
      mode,
      (context) => {
        context.elicit('late', form('late')).catch((error) => refused.resolve(error));
        void context.elicit('later', form('later'));
        return 'did not wait';
      },
      { handlers: { elicitForm: filledBy({}) } },
    );
    expect(await run(client)).toBe('did not wait');
    expect(await refused.promise).toMatchObject({ code: mode.repeats ? 'input-required' : 'server-request-failed' });
  });
});
