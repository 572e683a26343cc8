/** What the guard has decided and recorded, as resources of the guarded demo. A real server would not show it to its callers. */
import { resource } from 'tenon';
import { type FoundRecord, type Guard, searchAudit } from 'tenon/guard';

export const lastRefusal = 'guard://refusals/last';
export const recentRecords = 'guard://records';

const shownRecords = 30;

export const guardRecords = (guard: Guard, folder: string) => ({
  [lastRefusal]: resource(
    { name: 'last-refusal', title: 'Why the last call was refused', mimeType: 'text/markdown' },
    async () => {
      const refusals = (await newest(folder)).filter(({ decision, what }) => decision?.effect === 'deny' && what?.tool);
      const { decision, what } = refusals.at(-1) ?? {};
      if (decision === undefined) return 'No call was refused yet.';
      return `**${what?.tool}** was refused.\n\n${guard.explain(String(decision.decisionId))?.text ?? ''}`;
    },
  ),
  [recentRecords]: resource(
    { name: 'records', title: 'The newest records of the audit log', mimeType: 'text/markdown' },
    async () => {
      const rows = (await newest(folder)).slice(-shownRecords).map(rowOf);
      return ['| n | time | what | decision |', '| - | ---- | ---- | -------- |', ...rows].join('\n');
    },
  ),
});

async function newest(folder: string): Promise<FoundRecord[]> {
  const found: FoundRecord[] = [];
  for await (const record of searchAudit(folder, { kinds: ['decision', 'call-start', 'call-end'] })) found.push(record);
  return found;
}

function rowOf({ n, at, kind, what = {}, decision = {} }: FoundRecord): string {
  const about = [kind, what.tool ?? what.uri ?? what.method ?? what.outcome].filter(Boolean).join(' ');
  const decided = [decision.effect, decision.rule].filter(Boolean).join(' by ');
  return `| ${n} | ${at.slice(11, 19)} | ${about} | ${decided} |`;
}
