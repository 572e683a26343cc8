/** Types of resource templates: the variables of a handler are those in the template's text. */
import { createServer, resourceTemplate } from 'tenon';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

export const server = createServer({
  name: 'notes',
  version: '1',
  tools: {},
  resourceTemplates: {
    'notes://days/{day}': resourceTemplate({ complete: { day: () => ['monday'] } }, (variables) => {
      holds<Same<typeof variables, { readonly day: string }>>();
      // @ts-expect-error the template has no such variable
      void variables.dya;
      return variables.day;
    }),
    'notes://{year}/{month}{?full,lang}': resourceTemplate({}, ({ year, month, full, lang }) => {
      holds<Same<typeof full, string | undefined>>();
      return [year, month, full ?? '', lang ?? ''].join(' ');
    }),
    'files:///{+path}': resourceTemplate({}, async ({ path }, ctx, uri) => `${path.length} ${ctx.callId} ${uri}`),
    'a://{x,y}{/z}{#w}': resourceTemplate({}, (variables) => {
      holds<
        Same<typeof variables, { readonly x: string; readonly y: string; readonly z: string; readonly w: string }>
      >();
      return undefined;
    }),
    'b://?x=1{&page}': resourceTemplate({}, ({ page }) => page),
    'c://fixed': resourceTemplate({}, (variables) => {
      holds<Same<typeof variables, {}>>();
      return 'fixed';
    }),
  },
});

createServer({
  name: 'notes',
  version: '1',
  resourceTemplates: {
    // @ts-expect-error the template has no such variable
    'notes://days/{day}': resourceTemplate({}, ({ dya }) => dya),
  },
});

createServer({
  name: 'notes',
  version: '1',
  resourceTemplates: {
    // @ts-expect-error only variables of the template can be completed
    'notes://days/{day}': resourceTemplate({ complete: { dya: () => [] } }, ({ day }) => day),
  },
});

// Outside createServer, the template's text is the type argument; without it any name may be read.
const typed = resourceTemplate<'notes://days/{day}'>({}, ({ day }) => day.toUpperCase());
const loose = resourceTemplate({}, (variables) => variables['day']);
createServer({ name: 'n', version: '1', resourceTemplates: { 'notes://days/{day}': typed, 'notes://{day}': loose } });
const completed = resourceTemplate<'notes://days/{day}'>({ complete: { day: () => [] } }, () => '');
// @ts-expect-error this template has no day
createServer({ name: 'n', version: '1', resourceTemplates: { 'notes://weeks/{week}': completed } });

const templates: Record<string, ReturnType<typeof resourceTemplate>> = { 'notes://days/{day}': typed };
createServer({ name: 'n', version: '1', resourceTemplates: templates });
server.update((draft) => {
  draft.resourceTemplates['a:{b}'] = resourceTemplate({}, ({ b }) => b);
});
