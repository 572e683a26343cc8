/** The default theme with the fonts of the system, so that a first page is small, a server on the front page, a menu of versions, and the layout of the playground. */
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import Server from '../../pages/parts/server.md';
import Playground from './Playground.vue';
import Versions from './Versions.vue';
import './code.css';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('Playground', Playground),
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () => h('div', { class: 'vp-doc server' }, h(Server)),
      'nav-bar-content-after': () => h(Versions, { class: 'wide' }),
      'nav-screen-content-after': () => h(Versions),
    }),
};
