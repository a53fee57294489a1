/** What the methods with the hosted service's names take and answer: our own types, and the names that only they know. */

import type { Operations, SignalBotInList } from './api-types.ts'
import type { Operation } from './request.ts'
import type { Namespace, OtherTable, Table } from './resource.ts'
import type { Method } from './transport.ts'

/** Ids are numbers, or the same as texts. */
export type Id = number | string

/** A method for each request line of a table. */
export type OtherNamespace<T extends OtherTable> = {
  readonly [Name in keyof T]: T[Name] extends string
    ? OtherMethod<T[Name]>
    : T[Name] extends OtherTable
      ? OtherNamespace<T[Name]>
      : never
}

type OtherMethod<Line extends string> = WholeList<Line> &
  ((...args: Arguments<Line>) => Promise<LineAnswer<Line>>)

/** A list is an array unless a query asks for a page of it. */
type WholeList<Line extends string> = Line extends `GET ${string}?{query}`
  ? LineAnswer<Line> extends readonly unknown[]
    ? unknown
    : [ArrayOf<Line>] extends [never]
      ? unknown
      : Required<Arguments<Line>> extends [...infer Ids, unknown]
        ? (...ids: Ids) => Promise<ArrayOf<Line>>
        : unknown
  : unknown

type ArrayOf<Line extends string> = Extract<LineAnswer<Line>, readonly unknown[]>

/** The members of both. What both have takes what the second one takes. A method and a namespace of the same name are one. */
export type Merged<Own extends Table, Other extends OtherTable> = Pick<
  Namespace<Own>,
  Exclude<keyof Own, keyof Other>
> & {
  readonly [Name in keyof Other]: Name extends keyof Own
    ? MergedMember<Own[Name], Other[Name]>
    : OtherNamespace<Other>[Name]
}

type MergedMember<Own, Other> = Own extends Table
  ? Other extends string
    ? Namespace<Own> & OtherMethod<Other>
    : Other extends OtherTable
      ? Merged<Own, Other>
      : never
  : Other extends string
    ? OtherMethod<Other>
    : never

/** A request by its parts, as the hosted service's client has it. */
export type OtherRequest = {
  method: Method
  /** After `/api/v2`, or with it. */
  path: string
  query?: Query | undefined
  body?: object | undefined
}

type Query = { readonly [name: string]: Id | boolean | null | undefined }

type Arguments<Line extends string> = Line extends Operation
  ? Widened<Operations[Line]['arguments'], Line>
  : Places<Line>

/** Our arguments, with ids as texts too, and with the other names of fields. */
type Widened<Args extends readonly unknown[], Line> = {
  [Place in keyof Args]: WidenedArgument<Args[Place], Line>
}

type WidenedArgument<Argument, Line> = Argument extends number
  ? Id
  : Argument extends object
    ? 'ifMatch' extends keyof Argument
      ? Argument
      : Line extends keyof Fields
        ? Partial<WithIds<Argument>> & Fields[Line]
        : WithIds<Argument>
    : Argument

type WithIds<Body> = {
  [Name in keyof Body]: Name extends 'id' | `${string}_id` | `${string}Id` ? Body[Name] | string : Body[Name]
}

/** The names of fields that only scripts from the hosted service use, by the request lines that take them. */
type Fields = {
  [Line in Saves<'strategy/llm-session' | 'strategy/reaction/llm'>]: Some<{
    llm_api_id: Id
    fallback_api_id: Id
    signal_symbol: string
    chart_data_range: string
  }>
} & {
  [Line in Saves<'bot/signal/cex'>]: Some<{
    /** The connection to an exchange, which decides the exchange. */
    api_id: Id
    pair_base: string
    pair_quote: string
    amount_from_signal: boolean
    /** Whether `amount` is in quote currency. */
    is_quote: boolean
    /** Seconds. */
    delay: number
  }>
} & {
  [Line in Saves<'bot/signal/prediction'>]: Some<{
    /** The connection to a prediction market, which decides the exchange. */
    api_id: Id
    slug_from_signal: boolean
    amount_from_signal: boolean
    /** Seconds. */
    delay: number
  }>
} & {
  [Line in Saves<'bot/signal/dex'>]: Some<{
    /** What `getFactory` answers: a DEX on a chain. */
    factory_id: Id
    chain_id: Id
    /** Seconds. */
    delay: number
  }>
} & {
  [Line in `POST /api/v2/api/prediction${'' | '/test'} {body}`]: Some<{
    exchangeId: Id
    funderAddress: string
    walletPrivateKey: string
  }>
} & {
  [Line in `POST /api/v2/api/exchange${'' | '/test'} {body}`]: Some<{
    exchangeId: Id
    publicKey: string
    privateKey: string
    /** The one credential that the exchange requires besides. */
    extra: string
  }>
} & {
  'POST /api/v2/api/llm {body}': Some<{
    /** The hosted service's number of the provider, or one of our ids. */
    serviceId: Id
    modelId: Id
    apiKey: string
  }>
  'PUT /api/v2/api/llm/{id}/model {body}': Some<{ modelId: Id }>
}

type Saves<Path extends string> = `POST /api/v2/${Path} {body}` | `PUT /api/v2/${Path}/{id} {body}`

type Some<Body> = { [Name in keyof Body]?: Body[Name] | undefined }

/** The arguments of a request line that is not one of our own. */
type Places<Line extends string> = Line extends `${string}{${infer Place}}${infer Rest}`
  ? [...Argument<Place, Line>, ...Places<Rest>]
  : []

type Argument<Place, Line> = Place extends 'query'
  ? [query?: Query]
  : Place extends 'body'
    ? [
        body: Line extends `${string}/public {body}`
          ? { isPublic: boolean }
          : { readonly [field: string]: unknown },
      ]
    : [place: Id]

type LineAnswer<Line extends string> = Line extends Operation
  ? Operations[Line]['answer'] & Beside<Line>
  : OtherAnswer<Line>

/** What an answer has besides, where a request has these names. */
type Beside<Line extends Operation> = Line extends 'PUT /api/v2/webhook/data/{id} {body}'
  ? unknown
  : Line extends `PUT ${string}` | 'POST /api/v2/api/llm {body}'
    ? { readonly message: 'Success' }
    : Line extends `GET ${string}-reactions?{query}`
      ? { readonly data?: Extract<Operations[Line]['answer'], readonly unknown[]>[number][] }
      : unknown

/** The answer of a request line that is not one of our own. */
type OtherAnswer<Line extends string> = Line extends `${string}/public {body}`
  ? { readonly message: 'Success' }
  : Line extends `GET ${string}/{id}${string}?{query}`
    ? { total: number; data: SignalBotInList[] }
    : Line extends `GET ${string}?{query}`
      ? Untyped[]
      : Untyped

// biome-ignore lint/suspicious/noExplicitAny: the service does not describe it
type Untyped = any
