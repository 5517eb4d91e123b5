import type { TypingCase } from './typing-case.ts';

export const styleCases: readonly TypingCase[] = [
  ['a {‸}', '⏎', 'a {\n  ‸\n}'],
  ['a {\n  top: 0;‸\n}', '⏎', 'a {\n  top: 0;\n  ‸\n}'],
  ['a {\n  top: 0;\n  ‸', '}', 'a {\n  top: 0;\n}‸'],
  ['a {\n  top: 0;\n}‸', '⏎', 'a {\n  top: 0;\n}\n‸'],
  ['@media print {‸}', '⏎', '@media print {\n  ‸\n}'],
  ['@media print {\n  a {‸}\n}', '⏎', '@media print {\n  a {\n    ‸\n  }\n}'],
  [
    '@media print {\n  a {\n    top: 0;\n  }‸\n}',
    '⏎',
    '@media print {\n  a {\n    top: 0;\n  }\n  ‸\n}',
  ],
  ['a {\n  & b {‸}\n}', '⏎', 'a {\n  & b {\n    ‸\n  }\n}'],
  [
    'a {\n  top: 0;\n\n  &:hover {\n    left: 0;\n  }‸\n}',
    '⏎',
    'a {\n  top: 0;\n\n  &:hover {\n    left: 0;\n  }\n  ‸\n}',
  ],
  ['a,‸', '⏎', 'a,\n‸'],
  ['a {\n  background: url(‸);\n}', '⏎', 'a {\n  background: url(\n    ‸\n  );\n}'],
  ['@keyframes a {\n  from {‸}\n}', '⏎', '@keyframes a {\n  from {\n    ‸\n  }\n}'],
  ['/* a‸ */', '⏎', '/* a\n‸*/'],
  ['a ‸', '{', 'a {‸}'],
  ['a ‸', '{}', 'a {}‸'],
  ['a {‸}', '⌫', 'a ‸'],
  ['a { top: calc‸ }', '(', 'a { top: calc(‸) }'],
  ['a { content: ‸; }', '"', 'a { content: "‸"; }'],
  ['a { content: ‸; }', "''", "a { content: ''‸; }"],
  ['a[b=‸] {}', '"', 'a[b="‸"] {}'],
  ['a‸ {}', '[', 'a[‸] {}'],
  ['a { left: ‸1px‸; }', '(', 'a { left: (‸1px‸); }'],
  ['/* ‸ */', "'", "/* '‸ */"],
  ['a { content: "b ‸"; }', "'", `a { content: "b '‸"; }`],
];

export const cssCases: readonly TypingCase[] = [
  ...styleCases,
  ['a {\n  transition:‸\n}', '⏎', 'a {\n  transition:\n  ‸\n}'],
  ['a {\n  top: 0;‸\n}', '⌘/', 'a {\n  /* top: 0;‸ */\n}'],
  ['/* a {} */‸', '⌘/', 'a {}‸'],
  ['@layer a {‸}', '⏎', '@layer a {\n  ‸\n}'],
  ['@container (width > 1px) {\n  ‸\n}', '⏎', '@container (width > 1px) {\n\n  ‸\n}'],
  [':root {\n  --a: 1;‸\n}', '⏎', ':root {\n  --a: 1;\n  ‸\n}'],
];

export const sassCases: readonly TypingCase[] = [
  ...styleCases,
  ['a {\n  top: 0;‸\n}', '⌘/', 'a {\n  // top: 0;‸\n}'],
  ['// a‸', '⌘/', 'a‸'],
  ['@mixin a($b) {‸}', '⏎', '@mixin a($b) {\n  ‸\n}'],
  ['@mixin a {\n  top: 0;‸\n}', '⏎', '@mixin a {\n  top: 0;\n  ‸\n}'],
  ['a {\n  @include b {‸}\n}', '⏎', 'a {\n  @include b {\n    ‸\n  }\n}'],
  ['a {\n  @include b;‸\n}', '⏎', 'a {\n  @include b;\n  ‸\n}'],
  ['@if $a {‸}', '⏎', '@if $a {\n  ‸\n}'],
  ['@each $a in $b {‸}', '⏎', '@each $a in $b {\n  ‸\n}'],
  ['$a: (‸);', '⏎', '$a: (\n  ‸\n);'],
  ['a {\n  &-b {‸}\n}', '⏎', 'a {\n  &-b {\n    ‸\n  }\n}'],
  ['.a-#‸ {}', '{', '.a-#{‸} {}'],
  ['a {\n  // b‸\n}', '⏎', 'a {\n  // b\n  ‸\n}'],
  ['// ‸', "'", "// '‸"],
];

export const lessCases: readonly TypingCase[] = [
  ...styleCases,
  ['a {\n  top: 0;‸\n}', '⌘/', 'a {\n  // top: 0;‸\n}'],
  ['// a‸', '⌘/', 'a‸'],
  ['.m() {‸}', '⏎', '.m() {\n  ‸\n}'],
  ['.m(@a; @b: 1) {\n  top: @a;‸\n}', '⏎', '.m(@a; @b: 1) {\n  top: @a;\n  ‸\n}'],
  ['a {\n  .m();‸\n}', '⏎', 'a {\n  .m();\n  ‸\n}'],
  ['a {\n  &-b {‸}\n}', '⏎', 'a {\n  &-b {\n    ‸\n  }\n}'],
  ['.a-@‸ {}', '{', '.a-@{‸} {}'],
  ['@a: 1px;‸', '⏎', '@a: 1px;\n‸'],
  ['// ‸', "'", "// '‸"],
];
