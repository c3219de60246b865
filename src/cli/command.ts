/** Commands as data: names, arguments, options and what they run. The commands of commander and the types of the values follow from it. */
import { Argument, Command, Option } from "commander";
import type { SettingKey } from "../settings/settings.ts";
import type { ExitCode } from "./exit.ts";

/** All about an option or argument whose help text alone does not say it. */
interface Parameter<Value = unknown> {
  readonly text: string;
  /** An option that must be given. */
  readonly required?: true;
  readonly choices?: readonly Value[];
  readonly default?: Value;
  /** `before` is the value of earlier uses of the option. @throws InvalidArgumentError */
  readonly parse?: (text: string, before: never) => Value;
  /** Setting whose value the option gives. */
  readonly setting?: SettingKey;
}

/** Help texts by flags or by name of the argument in commander's notation, as in `--out <file>` and `<email>`, in the order of the help. */
export type Parameters = Readonly<Record<string, string | Parameter>>;

type CamelCase<Text> = Text extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Text;
/** Name as commander makes it: `--tls-cert <file>` is `tlsCert`, `<file>` is `file`. */
type NameOf<Flags> = Flags extends `${string}--${infer Long} <${string}`
  ? CamelCase<Long>
  : Flags extends `${string}--${infer Long}`
    ? CamelCase<Long>
    : Flags extends `<${infer Name}>` | `[${infer Name}...]`
      ? Name
      : Flags extends `[${infer Name}]`
        ? Name
        : never;
/** Type of a value that is given: one of the choices, what the parser returns, a list, a text, or true for a switch. */
type ValueOf<Flags, P> = P extends { readonly choices: readonly (infer Value)[] }
  ? Value
  : P extends { readonly parse: (...given: never) => infer Value }
    ? Value
    : Flags extends `${string}...]`
      ? readonly string[]
      : Flags extends `${string}<${string}` | `[${string}`
        ? string
        : true;
/** Undefined if the value may be absent. */
type Absence<Flags, P> = P extends { readonly required: true } | { readonly default: unknown }
  ? never
  : Flags extends `<${string}` | `[${string}...]`
    ? never
    : undefined;

/** Values of arguments and options by the names that commander gives them. Options of settings are read by `configOf` instead. */
export type Values<P extends Parameters> = {
  readonly [Flags in keyof P as NameOf<Flags> & string]: ValueOf<Flags, P[Flags]> | Absence<Flags, P[Flags]>;
};

/** Values of the options that every command has. */
export interface GlobalValues {
  readonly quiet?: true;
  readonly color: boolean;
  readonly config?: string;
}

/** Makes the command, for one command line. `onExit` receives the exit code to which its `run` resolves. */
export type CommandFactory = (onExit: (code: ExitCode) => void) => Command;

export type NoParameters = Readonly<Record<never, never>>;

interface Heading {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  /** Text below the generated help. */
  readonly help?: string;
}

/** `run` resolves to the exit code; without one it is 0. It rejects with one of the errors of `failureOf`. */
export interface CommandDeclaration<A extends Parameters, O extends Parameters, Given extends readonly unknown[]> extends Heading {
  readonly arguments?: A;
  readonly options?: O;
  run(values: Values<A & O> & GlobalValues, ...given: Given): Promise<ExitCode> | Promise<void>;
}

/** A command whose `run` also gets the command of commander, to read its settings with `configOf`. */
export function command<const A extends Parameters = NoParameters, const O extends Parameters = NoParameters>(
  declared: CommandDeclaration<A, O, [command: Command]>,
): CommandFactory {
  return (onExit) => {
    const built = headed(declared);
    for (const [name, about] of Object.entries<string | Parameter>(declared.arguments ?? {})) {
      const { text, default: fallback } = typeof about === "string" ? { text: about, default: undefined } : about;
      built.addArgument(new Argument(name, text).default(fallback));
    }
    for (const [flags, about] of Object.entries<string | Parameter>(declared.options ?? {})) built.addOption(optionOf(flags, about));
    return built.action(async () => {
      const given = built.registeredArguments.map((argument, at) => [argument.name(), built.processedArgs[at]]);
      const values = { ...built.optsWithGlobals(), ...Object.fromEntries(given) } as Values<A & O> & GlobalValues;
      const code = await declared.run(values, built);
      if (typeof code === "number") onExit(code);
    });
  };
}

/** A command whose first argument names one of these commands. */
export function commandGroup({ commands, ...heading }: Heading & { readonly commands: readonly CommandFactory[] }): CommandFactory {
  return (onExit) => commands.reduce((group, make) => group.addCommand(make(onExit)), headed(heading));
}

function headed({ name, alias, summary, help }: Heading): Command {
  const built = new Command(name).description(summary);
  if (alias !== undefined) built.alias(alias);
  return help === undefined ? built : built.addHelpText("after", help);
}

/** Settings by their options. A command may use the name of a flag for an option of its own. */
export const settingOf = new WeakMap<Option, SettingKey>();

export function optionOf(flags: string, about: string | Parameter): Option {
  if (typeof about === "string") return new Option(flags, about);
  const { text, setting, choices, parse } = about;
  const option = new Option(flags, text);
  if (setting !== undefined) settingOf.set(option, setting);
  if (choices !== undefined) option.choices(choices as readonly string[]);
  if (parse !== undefined) option.argParser(parse as (text: string, before: unknown) => unknown);
  return option.default(about.default).makeOptionMandatory(about.required === true);
}

/** Parser of an option that may be given several times: the list of its values. */
export function repeated(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}
