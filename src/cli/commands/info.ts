/** `tenon info`: who the server is, and what it can do. */
import type { RunCommand } from '../manifest/command.ts';
import { styleFor } from '../output/style.ts';
import { textTable } from '../output/table.ts';
import { withClient } from '../target/open-client.ts';

export const run: RunCommand = (given) =>
  withClient(given, async (client) => {
    const { serverInfo, protocolVersion, capabilities, instructions } = client;
    const style = styleFor(given.io);
    const rows = [
      ['server', `${serverInfo?.title ?? serverInfo?.name ?? 'unnamed'} ${serverInfo?.version ?? ''}`.trim()],
      ['protocol', protocolVersion],
      ['offers', Object.keys(capabilities).join(', ') || 'nothing'],
    ];
    const table = textTable(
      rows.map(([name = '', value = '']) => [style.dim(name), value]),
      given.io.columns,
    );
    return {
      result: { serverInfo, protocolVersion, capabilities, instructions },
      text: instructions === undefined ? table : `${table}\n\n${instructions}`,
    };
  });
