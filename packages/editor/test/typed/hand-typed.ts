/**
 * Text typed by hand with every tag, bracket and quote closed. What the editor closes automatically
 * is typed over, so each text comes out as typed. Lines have no indentation: the editor adds it,
 * and the test removes it.
 */
export const handTyped: Readonly<Record<string, readonly string[]>> = {
  'a.html': [
    '<i>x</i>',
    '<p class="a">x <b>y</b>, z</p>',
    '<ul>⏎<li>a</li>⏎<li><a href="#b">c</a></li>⏎</ul>⏎<p>d</p>',
    '<b>bold</b>but',
    '<my-part></my-part>',
    '<script>⏎f("a", [1]);⏎</script>',
    '<style>⏎a { top: calc(1px + (2px)); }⏎</style>',
    '<style>⏎a {⏎top: 0;⏎}⏎</style>',
    '<div><br><img src="a.png"></div>',
    '<svg><path d="M0 0" /></svg>',
  ],
  'a.jsx': [
    'a = <b>*</b>;',
    'a = <>x</>;',
    'a = <A.B c={d}>{e("f")}</A.B>;',
    'function A() {⏎return (⏎<ul>⏎<li key="a">{b}</li>⏎</ul>⏎);⏎}',
  ],
  'a.tsx': [
    '<b>*</b>',
    'a = <b>*</b>;',
    'const a = useState<string>("b");',
    'a = (⏎<p onClick={() => { b(); }}>⏎<i>c</i>⏎</p>⏎);',
  ],
  'a.vue': [
    '<template>⏎<p :a="b">{{ c }}</p>⏎<MyPart></MyPart>⏎</template>',
    '<script setup>⏎const a = ["b"];⏎</script>',
    '<style scoped>⏎a { top: 0; }⏎</style>',
  ],
  'a.svelte': [
    '<b>x</b>',
    '<script>⏎let a = $state("b");⏎</script>⏎<p>{a}</p>',
    '{#if a}⏎<p>b</p>⏎{/if}',
    '<ul>⏎<li>a</li>⏎</ul>',
  ],
  'a.md': ['<b>x</b>', 'a <i>b</i> [c](d) `e` "f"', '<details>⏎<p>a</p>⏎</details>'],
  'a.css': [
    'a[b="c"] { content: "d"; top: calc(1px); }',
    '@media print {⏎a {⏎background: url("b.png");⏎}⏎}',
    '/* a } */',
  ],
  'a.scss': ['a {⏎&:not(.b) {⏎color: map.get($c, "d");⏎}⏎}'],
  'a.less': ['.m(@a) {⏎b {⏎top: (@a + 1);⏎}⏎}'],
  'a.js': [
    'function f(a) {⏎if (a) {⏎g([1, { b: "c" }], `d${e}`);⏎}⏎}⏎f({⏎a: 1,⏎});',
    'const a = {⏎// }⏎b: 1,⏎};',
    `a = ['b', "c"];`,
  ],
  'a.ts': ['function f(a: { b: string }[]): void {⏎a.map(({ b }) => `${b}`);⏎}'],
  'a.json': ['{⏎"a": [1, "b", { "c": [] }],⏎"d": {⏎"e": ""⏎}⏎}'],
};
