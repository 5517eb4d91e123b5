/**
 * The recommended rules of typescript-eslint that can be written as a selector, since the plugin
 * itself needs TypeScript's compiler. They have the plugin's names, so that a project's config can
 * set them.
 */
import type { Rule } from 'eslint';

interface TypedRule {
  /** esquery selector of violations. */
  readonly selector: string;
  readonly message: string;
  /** The replacement of a violation's text, if it is certain. */
  readonly mend?: (text: string) => string;
}

const rules = {
  'no-empty-object-type': {
    selector: ':not(TSIntersectionType) > TSTypeLiteral[members.length=0]',
    message: '{} is every value but null and undefined: “object” or “unknown” says what is meant',
  },
  'no-extra-non-null-assertion': {
    selector: 'TSNonNullExpression > TSNonNullExpression.expression',
    message: 'One ! is enough',
    mend: (text) => text.slice(0, -1),
  },
  'no-non-null-asserted-optional-chain': {
    selector: 'ChainExpression > TSNonNullExpression.expression',
    message: 'What ends in ?. may be undefined, and ! says that it never is',
  },
  'no-unsafe-function-type': {
    selector: 'TSTypeReference > Identifier.typeName[name="Function"]',
    message: 'Function takes and gives anything: write what is taken and given, as in () => void',
  },
  'no-wrapper-object-types': {
    selector:
      'TSTypeReference > Identifier.typeName[name=/^(?:BigInt|Boolean|Number|Object|String|Symbol)$/]',
    message: 'This is the object around a value; the type of values is written small',
    mend: (text) => text.toLowerCase(),
  },
  'prefer-as-const': {
    selector: 'TSAsExpression[expression.type="Literal"] > TSLiteralType.typeAnnotation',
    message: 'The same is said by “as const”',
    mend: () => 'const',
  },
} as const satisfies Readonly<Record<string, TypedRule>>;

const plugin = '@typescript-eslint';

export const typedRules = {
  plugins: {
    [plugin]: {
      rules: Object.fromEntries(
        Object.entries<TypedRule>(rules).map(([name, rule]) => [name, createRule(rule)]),
      ),
    },
  },
  rules: Object.fromEntries(
    Object.keys(rules).map((name) => [`${plugin}/${name}`, 'warn' as const]),
  ),
};

function createRule({ selector, message, mend: fixText }: TypedRule): Rule.RuleModule {
  return {
    meta: { type: 'suggestion', ...(fixText && { fixable: 'code' }), schema: [] },
    create: (context) => ({
      [selector]: (node: Rule.Node) => {
        const fix =
          fixText &&
          ((fixer: Rule.RuleFixer) =>
            fixer.replaceText(node, fixText(context.sourceCode.getText(node))));
        context.report({ node, message, ...(fix && { fix }) });
      },
    }),
  };
}
