import {
  completeFromList,
  ifNotIn,
  snippetCompletion,
  type CompletionSource,
} from '@codemirror/autocomplete';
import { isTestPath } from '@vitrine/project';
import { nonCodeNodes } from '../languages/javascript.ts';
import { filePath, isScript } from '../language-facets.ts';

const snippet = (label: string, detail: string, template: string) =>
  snippetCompletion(template, { label, detail, type: 'snippet', boost: -10 });

const scriptSnippets = [
  snippet('log', 'log to the console', 'console.log(${1});'),
  snippet(
    'listen',
    'add an event listener',
    "${1:element}.addEventListener('${2:click}', (event) => {\n\t${0}\n});",
  ),
  snippet(
    'fetch-json',
    'fetch JSON and check for errors',
    "const ${1:response} = await fetch('${2:url}');\nif (!${1:response}.ok) throw new Error(String(${1:response}.status));\nconst ${3:data} = await ${1:response}.json();",
  ),
  snippet('forin', 'loop over property names', 'for (const ${1:name} in ${2:object}) {\n\t${0}\n}'),
  snippet(
    'frame',
    'animation loop',
    'requestAnimationFrame(function draw(time) {\n\t${0}\n\trequestAnimationFrame(draw);\n});',
  ),
];

const jsxSnippets = [
  snippet('component', 'function component', 'export function ${1:Name}() {\n\treturn ${0};\n}'),
  snippet('use-state', 'state variable', 'const [${1:value}, ${2:setValue}] = useState(${3});'),
  snippet('use-effect', 'effect hook', 'useEffect(() => {\n\t${0}\n}, [${1}]);'),
  snippet(
    'map-list',
    'list of elements',
    '{${1:items}.map((${2:item}) => (\n\t<li key={${2:item}.id}>${0}</li>\n))}',
  ),
];

const testSnippets = [
  snippet(
    'test-case',
    'test case',
    "test('${1:does something}', () => {\n\texpect(${2}).toBe(${0});\n});",
  ),
  snippet('describe-suite', 'test suite', "describe('${1:subject}', () => {\n\t${0}\n});"),
];

/** Completes snippets for scripts, JSX and test files. */
export const completeScriptSnippets: CompletionSource = (context) => {
  const path = context.state.facet(filePath);
  if (!isScript(path)) return null;
  const applicable = [
    ...scriptSnippets,
    ...(path.endsWith('x') ? jsxSnippets : []),
    ...(isTestPath(path) ? testSnippets : []),
  ];
  return ifNotIn(nonCodeNodes, completeFromList(applicable))(context);
};
