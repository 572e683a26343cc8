/** The page: shows the result of the tool, and calls the tool again. It runs in a frame of the host, without a network. */
import { App } from '@modelcontextprotocol/ext-apps';

interface Forecast {
  readonly city: string;
  readonly days: readonly { readonly day: string; readonly degrees: number }[];
}

const find = (id: string): HTMLElement => document.querySelector(`#${id}`) as HTMLElement;

function show({ structuredContent }: { readonly structuredContent?: unknown }): void {
  if (structuredContent === undefined) return;
  const { city, days } = structuredContent as Forecast;
  find('city').textContent = city;
  const items = days.map(({ day, degrees }) => {
    const item = document.createElement('li');
    item.textContent = `${day} ${degrees}°`;
    item.style.height = `${degrees * 4}px`;
    return item;
  });
  find('days').replaceChildren(...items);
}

const app = new App({ name: 'forecast', version: '0.1.0' });
app.addEventListener('toolresult', show);
find('other').onclick = async () => show(await app.callServerTool({ name: 'forecast', arguments: { city: 'Bergen' } }));
await app.connect();
