import html from '../../../../examples/hello/index.html?raw';
import script from '../../../../examples/hello/script.js?raw';
import style from '../../../../examples/hello/style.css?raw';

/** What a visitor meets first: three short files that answer to any change at once. */
export const demoExample = {
  title: 'Hello, Vitrine',
  files: new Map([
    ['index.html', html],
    ['style.css', style],
    ['script.js', script],
  ]),
} as const;
