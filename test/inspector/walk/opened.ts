/** One browser for a test file, and the page of an inspector in it for each test. */
import { serveInspector } from 'tenon/inspector';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { ServeInspectorOptions } from '../../../src/inspector/options.ts';
import { executable, type OpenBrowser, startBrowser } from '../../browser/chromium.ts';
import { type LookOptions, openLink } from '../page/open-page.ts';
import { type Walker, walk } from './walker.ts';

export interface Opened extends Walker {
  /** Errors of scripts and of the content policy, and requests that left the backend. */
  readonly complaints: string[];
}

/** Call it once in a file. */
export function oneBrowser() {
  let browser: OpenBrowser | undefined;
  beforeAll(async () => {
    if (executable !== undefined) browser = await startBrowser(executable);
  });
  afterAll(() => browser?.close());
  const visit = async (link: string, look: LookOptions = {}): Promise<Opened> => {
    if (browser === undefined) throw new Error('There is no Chromium.');
    const { page, complaints } = await openLink(browser, link, look);
    onTestFinished(() => page.close());
    return { ...walk(page), complaints };
  };
  return {
    visit,
    /** Opens the page of an inspector of its own. */
    async inspect(options: ServeInspectorOptions = {}, hash = ''): Promise<Opened> {
      const service = await serveInspector(options);
      onTestFinished(() => service.close());
      return visit(`${service.url}${hash}`);
    },
  };
}
