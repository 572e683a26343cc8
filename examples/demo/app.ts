/** An MCP App of the demo: the forecast as bars, in a frame of the host. A button of it calls the tool again. */
import { app } from 'tenon/extensions';

export const forecastApp = 'ui://demo/forecast';

const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Forecast</title>
<style>
  :root { color-scheme: light dark; font: 13px system-ui, sans-serif }
  body { margin: 0; padding: 12px }
  ol { display: flex; align-items: flex-end; gap: 8px; height: 120px; margin: 0 0 12px; padding: 0; list-style: none }
  li { flex: 1; display: flex; flex-direction: column; justify-content: flex-end; height: 100%; text-align: center }
  li i { display: block; margin-top: 4px; border-radius: 3px 3px 0 0; background: #3451d1 }
</style>
<h3 id="city"></h3>
<ol id="days"></ol>
<button id="other">What about Bergen?</button>
<script>
  const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const show = (city, result) => {
    if (!result?.structuredContent) return;
    document.querySelector('#city').textContent = city;
    document.querySelector('#days').replaceChildren(
      ...result.structuredContent.days.map(({ day, degrees }) => {
        const item = document.createElement('li');
        const bar = document.createElement('i');
        bar.style.height = degrees * 3 + 4 + 'px';
        item.append(day.slice(0, 2) + ' ' + degrees + '°', bar);
        return item;
      }),
    );
    post({ method: 'ui/notifications/size-changed', params: { height: document.documentElement.scrollHeight } });
  };
  let city = '';
  addEventListener('message', ({ data }) => {
    if (data.id === 'begin') post({ method: 'ui/notifications/initialized' });
    if (data.id === 'other') show('Bergen', data.result);
    if (data.method === 'ui/notifications/tool-input') city = data.params.arguments.city;
    if (data.method === 'ui/notifications/tool-result') show(city, data.params);
    if (data.method === 'ui/resource-teardown') post({ id: data.id, result: {} });
  });
  document.querySelector('#other').onclick = () =>
    post({ id: 'other', method: 'tools/call', params: { name: 'forecast', arguments: { city: 'Bergen' } } });
  const appInfo = { name: 'forecast', version: '1' };
  post({ id: 'begin', method: 'ui/initialize', params: { protocolVersion: '1', appInfo, appCapabilities: {} } });
</script>
</html>
`;

export const appResources = {
  [forecastApp]: app({ name: 'forecast', title: 'Forecast as bars' }, html),
};
