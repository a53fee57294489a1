import { Type } from 'typebox'
import { entryTypes, longestRestSeconds, mostChases, timeoutActions } from './settings.ts'

const restingTypes = entryTypes.filter((type) => type !== 'market')

const texts = {
  type: '`limit`: at its limit, or at once if the price is better. `post_only`: the same, but it never executes at once: then `on_timeout` applies at once. `market`: at once, at any price.',
  price: 'The limit, in quote currency.',
  offset:
    'How far the limit is from the current price, on the better side, such as `0.5%`; `null`: at the current price, or, with `post_only`, at the best bid or offer.',
  timeout_seconds: 'How long the order rests.',
  on_timeout:
    'What happens then to the part that was not executed. `cancel`: nothing more. `market`: a market order. `chase`: a new limit order at the best bid or offer of its side, which rests as long.',
  chases: 'With `chase`: how many new limit orders there are at most; `null` otherwise.',
  max_slippage:
    'How much worse than the first limit the price of a later order may be, such as `1%`; `null`: no limit.',
}

// Wide limits, because every number in a request needs some. The reader of entries has the real ones.
const Whole = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0, maximum: 1e15 }), Type.Null()], { description })
const Distance = (description: string) =>
  Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: -1e15, maximum: 1e15 }), Type.Null()], {
    description,
  })

/** How a bot enters, in a request: a field that is absent has its default, except `type`. */
export const EntryBody = Type.Partial(
  Type.Object({
    type: Type.Enum([...entryTypes], { description: texts.type }),
    offset: Distance(texts.offset),
    timeout_seconds: Whole(`${texts.timeout_seconds} From 1 to ${longestRestSeconds}; the default is 300.`),
    on_timeout: Type.Union([Type.Enum([...timeoutActions]), Type.Null()], {
      description: `${texts.on_timeout} The default is \`cancel\`.`,
    }),
    chases: Whole(`${texts.chases} From 1 to ${mostChases}; the default is 3.`),
    max_slippage: Distance(texts.max_slippage),
  }),
)

/** How a signal enters, in a request: as texts or numbers, as in a payload. */
export const SignalEntryBody = Type.Partial(
  Type.Object({
    type: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: texts.type }),
    offset: Distance(texts.offset),
    timeout_seconds: Distance(texts.timeout_seconds),
    on_timeout: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], { description: texts.on_timeout }),
    chases: Distance(texts.chases),
    max_slippage: Distance(texts.max_slippage),
    price: Distance(`${texts.price} Without a \`type\` that rests, it is the price that the sender sees.`),
  }),
)

const shown = {
  offset: Type.Union([Type.String(), Type.Null()], { description: texts.offset }),
  timeout_seconds: Type.Integer({ description: texts.timeout_seconds }),
  on_timeout: Type.Enum([...timeoutActions], { description: texts.on_timeout }),
  chases: Type.Union([Type.Integer(), Type.Null()], { description: texts.chases }),
  max_slippage: Type.Union([Type.String(), Type.Null()], { description: texts.max_slippage }),
}

/** How a bot enters, in a response. */
export const EntryRecord = Type.Object({
  type: Type.Enum([...restingTypes], { description: texts.type }),
  ...shown,
})

/** What a signal says about its entry, in a response. */
export const SignalEntryRecord = Type.Object(
  {
    type: Type.Enum([...entryTypes], { description: texts.type }),
    ...Type.Partial(Type.Object({ price: Type.String({ description: texts.price }), ...shown })).properties,
  },
  { description: 'How the bots enter, instead of what they say. An option that was not given is absent.' },
)
