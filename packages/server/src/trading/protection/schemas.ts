import { targetsPerProtection } from '@tickwright/sandbox'
import { Type } from 'typebox'
import { longestExitSeconds } from './settings.ts'

const levelText =
  'A price (`50000`), a distance from the entry price (`"2%"`), or a multiple of the distance to the stop (`"2R"`)'
const distanceText = 'A distance: `"1%"`, or `"0.5R"`, a part of the distance to the stop'

// Wide limits, because every number in a request needs some. The reader of protections has the real ones.
const AnyLevel = (description: string) =>
  Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: -1e15, maximum: 1e18 }), Type.Null()], {
    description,
  })
const Shown = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const texts = {
  stop_loss: 'Where the position is closed with a loss: a price, or a distance from the entry price.',
  take_profit: `At most ${targetsPerProtection} targets, the nearest first. Each closes a part of the position.`,
  at: `${levelText}.`,
  part: 'A fraction of the position as it was opened. All parts together are at most 1.',
  trailing: 'The stop follows the best price.',
  by: `${distanceText}. The stop stays this far from the best price.`,
  from: `${levelText}. The stop follows from there on; \`null\`: from the entry on.`,
  step: `${distanceText}. The stop moves by at least so much; \`null\`: with each better price.`,
  break_even: 'The stop moves to the entry price.',
  after: `${levelText}. Once the price has reached it, the stop moves.`,
  plus: `${distanceText}. The stop moves so far beyond the entry price; \`null\`: to the entry price itself.`,
  exit: 'The position is closed when it is this old, at whatever price; `null`: never.',
}

const ExitSeconds = Type.Union([Type.Integer({ minimum: 1, maximum: longestExitSeconds }), Type.Null()], {
  description: texts.exit,
})

/** A protection in a request: levels as texts or numbers, and a field that is absent is `null`. */
export const ProtectionBody = Type.Partial(
  Type.Object({
    stop_loss: AnyLevel(texts.stop_loss),
    take_profit: Type.Union(
      [
        Type.Array(
          Type.Object({
            at: AnyLevel(texts.at),
            part: Type.Optional(
              Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: -1e15, maximum: 1e15 })], {
                description: `${texts.part} A single target closes the whole position.`,
              }),
            ),
          }),
          { maxItems: 100 },
        ),
        Type.String({ maxLength: 64 }),
        Type.Number({ minimum: -1e15, maximum: 1e18 }),
        Type.Null(),
      ],
      { description: `${texts.take_profit} A single level closes all of it.` },
    ),
    trailing: Type.Union(
      [
        Type.Partial(
          Type.Object({ by: AnyLevel(texts.by), from: AnyLevel(texts.from), step: AnyLevel(texts.step) }),
        ),
        Type.Null(),
      ],
      { description: texts.trailing },
    ),
    break_even: Type.Union(
      [Type.Partial(Type.Object({ after: AnyLevel(texts.after), plus: AnyLevel(texts.plus) })), Type.Null()],
      { description: texts.break_even },
    ),
    exit_after_seconds: Type.Union([Type.Integer({ minimum: 0, maximum: 1e15 }), Type.Null()], {
      description: texts.exit,
    }),
  }),
)

/** A protection in a response. */
export const shownProtection = {
  stop_loss: Shown(texts.stop_loss),
  take_profit: Type.Array(
    Type.Object({
      at: Type.String({ description: texts.at }),
      part: Type.String({ description: texts.part }),
    }),
    { description: texts.take_profit },
  ),
  trailing: Type.Union(
    [
      Type.Object({
        by: Type.String({ description: texts.by }),
        from: Shown(texts.from),
        step: Shown(texts.step),
      }),
      Type.Null(),
    ],
    { description: texts.trailing },
  ),
  break_even: Type.Union(
    [Type.Object({ after: Type.String({ description: texts.after }), plus: Shown(texts.plus) }), Type.Null()],
    { description: texts.break_even },
  ),
  exit_after_seconds: ExitSeconds,
}

export const ProtectionRecord = Type.Object(shownProtection)
