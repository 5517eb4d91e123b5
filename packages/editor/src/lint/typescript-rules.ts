/**
 * The recommended rules of typescript-eslint that can be written as a selector, since the plugin
 * itself needs TypeScript's compiler. They have the plugin's names, so that a project's config can
 * set them.
 */
import type { Rule } from 'eslint';

interface TypeScriptRule {
  /** esquery selector of violations. */
  readonly selector: string;
  /** `{{text}}` stands for the violation's text, `{{fixed}}` for its replacement. */
  readonly message: string;
  /** The replacement of a violation's text, if it is certain. */
  readonly fixText?: (text: string) => string;
}

const rules = {
  'no-empty-object-type': {
    selector: ':not(TSIntersectionType) > TSTypeLiteral[members.length=0]',
    message: '{} allows any value except null and undefined. Use “object” or “unknown” instead',
  },
  'no-extra-non-null-assertion': {
    selector: 'TSNonNullExpression > TSNonNullExpression.expression',
    message: 'Extra non-null assertion',
    fixText: (text) => text.slice(0, -1),
  },
  'no-non-null-asserted-optional-chain': {
    selector: 'ChainExpression > TSNonNullExpression.expression',
    message: 'Optional chains can be undefined, so a non-null assertion (!) isn’t safe here',
  },
  'no-unsafe-function-type': {
    selector: 'TSTypeReference > Identifier.typeName[name="Function"]',
    message: 'The type Function accepts any function. Write its signature, such as () => void',
  },
  'no-wrapper-object-types': {
    selector:
      'TSTypeReference > Identifier.typeName[name=/^(?:BigInt|Boolean|Number|Object|String|Symbol)$/]',
    message: '“{{text}}” is a wrapper type. Use “{{fixed}}” instead',
    fixText: (text) => text.toLowerCase(),
  },
  'prefer-as-const': {
    selector: 'TSAsExpression[expression.type="Literal"] > TSLiteralType.typeAnnotation',
    message: 'Use “as const” instead',
    fixText: () => 'const',
  },
} as const satisfies Readonly<Record<string, TypeScriptRule>>;

const plugin = '@typescript-eslint';

/** ESLint plugin and config with these rules as warnings. */
export const typescriptRules = {
  plugins: {
    [plugin]: {
      rules: Object.fromEntries(
        Object.entries<TypeScriptRule>(rules).map(([name, rule]) => [name, createRule(rule)]),
      ),
    },
  },
  rules: Object.fromEntries(
    Object.keys(rules).map((name) => [`${plugin}/${name}`, 'warn' as const]),
  ),
};

function createRule({ selector, message, fixText }: TypeScriptRule): Rule.RuleModule {
  return {
    meta: { type: 'suggestion', ...(fixText && { fixable: 'code' }), schema: [] },
    create: (context) => ({
      [selector]: (node: Rule.Node) => {
        const text = context.sourceCode.getText(node);
        const fixed = fixText?.(text) ?? text;
        const fix = (fixer: Rule.RuleFixer) => fixer.replaceText(node, fixed);
        context.report({ node, message, data: { text, fixed }, ...(fixText && { fix }) });
      },
    }),
  };
}
