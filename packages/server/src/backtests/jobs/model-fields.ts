import { type Static, Type } from 'typebox'
import { given } from '../../base/given.ts'
import type { BacktestModel } from '../../db/schema.ts'
import { missingReasons, unaskedReasons } from '../model/missing.ts'

export const mostBudget = 1_000_000_000

/** What a request says about the model of an AI reaction. */
export const modelFields = {
  model: Type.Optional(
    Type.Enum(['recorded', 'live'], {
      description:
        'Of an AI reaction. `recorded`, the default: only decisions that its model has made live count. `live`: the model is asked about what has none, so the result cannot be repeated.',
    }),
  ),
  model_budget: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostBudget,
      description:
        'Required with `live`: the most tokens of all questions and answers together. They also count towards the budget of the reaction for the day.',
    }),
  ),
}

const names = (reasons: object) =>
  Object.keys(reasons)
    .map((reason) => `\`${reason}\``)
    .join(', ')

/** The model of a backtest, as its record and its report show it. */
export const ModelRecord = Type.Object(
  {
    mode: Type.String({
      description:
        '`recorded`: the bots follow what the model has decided live. `live`: it is asked about the rest.',
    }),
    service: Type.String({ description: 'Its provider.' }),
    model: Type.String(),
    question: Type.String({
      description: 'The SHA-256 of what it is asked: prompt, model, tools and chart.',
    }),
    events: Type.Integer({ description: 'The deliveries in this time.' }),
    recorded: Type.Integer({ description: 'Those that have a recorded decision.' }),
    missing: Type.Record(Type.String(), Type.Integer(), {
      description: `Why others have no decision, and how many: ${names(missingReasons)}; with \`live\`, ${names(unaskedReasons)}, or how the run of a model that was asked failed, as in the error of a run.`,
    }),
    budget: Type.Optional(Type.Integer({ description: 'With `live`: the most tokens.' })),
    asked: Type.Optional(
      Type.Integer({
        description:
          'With `live`: those that the model was asked about and has decided. Until the backtest has ended, and in an estimate: those that it will be asked about, if none of them decides anything.',
      }),
    ),
    question_tokens: Type.Optional(
      Type.Integer({
        description:
          'With `live`, in an estimate: about the most tokens of the first question about each of these. A model that calls tools is asked again, but all together never exceed `budget`.',
      }),
    ),
    tokens: Type.Optional(
      Type.Integer({
        description: 'With `live`: what it has used, and what is reserved for open questions.',
      }),
    ),
  },
  { description: 'Of an AI reaction.' },
)

/** @param tokens what it has used; `null`: it was not asked yet */
export function presentModel(model: BacktestModel, tokens: number | null): Static<typeof ModelRecord> {
  const { questionTokens, ...rest } = model
  if (model.mode === 'recorded') return rest
  if (tokens === null) return { ...rest, ...given({ question_tokens: questionTokens }) }
  return { ...rest, tokens }
}
