import type { TypingCase } from './typing-case.ts';

/** Cases shared by HTML and component languages. */
export const markupCases: readonly TypingCase[] = [
  ['<div‸', '>', '<div>‸</div>'],
  ['<div class="a"‸', '>', '<div class="a">‸</div>'],
  ['<br‸', '>', '<br>‸'],
  ['<input type="text"‸', '>', '<input type="text">‸'],
  ['<br /‸', '>', '<br />‸'],
  ['<x-clock‸', '>', '<x-clock>‸</x-clock>'],
  ['<p>a<‸', '/', '<p>a</p>‸'],
  ['<ul><li>a<‸</ul>', '/', '<ul><li>a</li>‸</ul>'],
  ['<script src="a.js"‸', '>', '<script src="a.js">‸</script>'],
  ['<div>‸</div>', '⏎', '<div>\n  ‸\n</div>'],
  ['<div>\n  <p>a</p>‸\n</div>', '⏎', '<div>\n  <p>a</p>\n  ‸\n</div>'],
  ['<ul>\n  <li>‸</li>\n</ul>', '⏎', '<ul>\n  <li>\n    ‸\n  </li>\n</ul>'],
  ['<ul>\n  <li>a</li>\n  ‸', '</', '<ul>\n  <li>a</li>\n</ul>‸'],
  ['<b class="x">y‸', '</b>', '<b class="x">y</b>‸'],
  ['<div>\n  <div‸\n</div>', '>', '<div>\n  <div>‸</div>\n</div>'],
  ['<b>y‸', '</i>', '<b>y</i>‸'],
  ['<ul>\n  <li>a‸\n</ul>', '</li>', '<ul>\n  <li>a</li>‸\n</ul>'],
  ['<p><b>a‸</p>', '</b>c', '<p><b>a</b>c‸</p>'],
  ['<div>\n  <br>‸\n</div>', '⏎', '<div>\n  <br>\n  ‸\n</div>'],
  ['<p\n  class="a"‸\n></p>', '⏎', '<p\n  class="a"\n  ‸\n></p>'],
  ['<p‸></p>', '⏎', '<p\n  ‸></p>'],
  ['<p>a</p>‸', '⏎', '<p>a</p>\n‸'],
  ['<!-- a‸ -->', '⏎', '<!-- a\n‸-->'],
  ['<p class=‸></p>', '"', '<p class="‸"></p>'],
  ['<p class=‸></p>', '""', '<p class=""‸></p>'],
  ['<p class="‸"></p>', '⌫', '<p class=‸></p>'],
  ['<p>‸</p>', '(', '<p>(‸)</p>'],
  ['<p>it‸</p>', "'s", "<p>it's‸</p>"],
  ['<p>a‸</p>', '⌘/', '<!-- <p>a‸</p> -->'],
  ['<!-- <p>a</p> -->‸', '⌘/', '<p>a</p>‸'],
  ['<style>\n  a {‸}\n</style>', '⏎', '<style>\n  a {\n    ‸\n  }\n</style>'],
  ['<script>\n  if (a) {‸}\n</script>', '⏎', '<script>\n  if (a) {\n    ‸\n  }\n</script>'],
  ['<style>\n  a {}‸\n</style>', '⌘/', '<style>\n  /* a {}‸ */\n</style>'],
  ['<script>\n  a();‸\n</script>', '⌘/', '<script>\n  // a();‸\n</script>'],
  ['<script>\n  ‸\n</script>', '[', '<script>\n  [‸]\n</script>'],
  ['<script‸', '>', '<script>‸</script>'],
];

export const htmlCases: readonly TypingCase[] = [
  ...markupCases,
  ['<script>‸</script>', '⏎', '<script>\n  ‸\n</script>'],
  ['<a href="‸">', ')', '<a href=")‸">'],
  ['a < ‸', 'b', 'a < b‸'],
];

export const vueCases: readonly TypingCase[] = [
  ...markupCases,
  ['<template>‸</template>', '⏎', '<template>\n  ‸\n</template>'],
  ['<template>\n  <MyPart‸\n</template>', '>', '<template>\n  <MyPart>‸</MyPart>\n</template>'],
  [
    '<template>\n  <MyPart>{{ a }}‸\n</template>',
    '</MyPart>',
    '<template>\n  <MyPart>{{ a }}</MyPart>‸\n</template>',
  ],
  [
    '<template>\n  <p :a="{ b: { c: 1 } }"‸\n</template>',
    '>',
    '<template>\n  <p :a="{ b: { c: 1 } }">‸</p>\n</template>',
  ],
  ['<template>\n  <p>‸</p>\n</template>', '{{', '<template>\n  <p>{{‸}}</p>\n</template>'],
  [
    '<script setup lang="ts">\nconst a: A = {‸};\n</script>',
    '⏎',
    '<script setup lang="ts">\nconst a: A = {\n  ‸\n};\n</script>',
  ],
  ['<template>\n  <p @click=‸>\n</template>', '"', '<template>\n  <p @click="‸">\n</template>'],
];

export const svelteCases: readonly TypingCase[] = [
  ...markupCases,
  ['<p in:fly={{ x: 200 }}‸', '>', '<p in:fly={{ x: 200 }}>‸</p>'],
  ['<p a={{ b: { c: { d: "}" } } }} e‸', '>', '<p a={{ b: { c: { d: "}" } } }} e>‸</p>'],
  ['<p onclick={() => a(b > 1, `${c}`)}‸', '>', '<p onclick={() => a(b > 1, `${c}`)}>‸</p>'],
  ['<p {...a} {@attach b({ c })}‸', '>', '<p {...a} {@attach b({ c })}>‸</p>'],
  ['<p a={{ b: c >‸', '>', '<p a={{ b: c >>‸'],
  ['<Part‸', '>', '<Part>‸</Part>'],
  ['<Part>{a}‸', '</Part>', '<Part>{a}</Part>‸'],
  ['{#if a}<b>{a}‸{/if}', '</b>', '{#if a}<b>{a}</b>‸{/if}'],
  ['<p>‸</p>', '{', '<p>{‸}</p>'],
  ['{#if a}‸\n{/if}', '⏎', '{#if a}\n  ‸\n{/if}'],
  ['{#if a}\n  <p>b</p>‸\n{/if}', '⏎', '{#if a}\n  <p>b</p>\n  ‸\n{/if}'],
  ['{#each a as b}\n  <p>‸</p>\n{/each}', '⏎', '{#each a as b}\n  <p>\n    ‸\n  </p>\n{/each}'],
  ['<p onclick=‸></p>', '{', '<p onclick={‸}></p>'],
];
