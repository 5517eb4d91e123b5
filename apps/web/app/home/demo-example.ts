import html from '../../../../examples/hello/index.html?raw';
import script from '../../../../examples/hello/script.js?raw';
import style from '../../../../examples/hello/style.css?raw';

/** Project on the home page: three short files that react to every edit. */
export const demoExample = {
  title: 'Hello, Vitrine',
  files: new Map([
    ['index.html', html],
    ['style.css', style],
    ['script.js', script],
  ]),
} as const;
