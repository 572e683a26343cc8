/** The default theme with the fonts of the system, so that a first page is small, a server on the front page, and a menu of versions. */
import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import Server from '../../pages/parts/server.md';
import Versions from './Versions.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout: () =>
    h(DefaultTheme.Layout, null, {
      'home-hero-image': () => h('div', { class: 'vp-doc server' }, h(Server)),
      'nav-bar-content-after': () => h(Versions, { class: 'wide' }),
      'nav-screen-content-after': () => h(Versions),
    }),
};
