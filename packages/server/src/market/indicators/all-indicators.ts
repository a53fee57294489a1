import * as ta from 'trading-signals'

/** A candle as the library names its parts. */
export type LibraryCandle = { open: number; high: number; low: number; close: number; volume: number }

/** An indicator that has its parameters. Its value is `null` until it has seen enough. */
export type Indicator = { add(candle: LibraryCandle): unknown }

/**
 * A parameter: its usual and its largest value. `period`: a number of candles, which decides how much memory and time the
 * indicator needs. It is a whole number. `factor`: any number above 0.
 */
export type Parameter = { kind: 'period' | 'factor'; usual: number; most: number }

/** With it, no value takes longer than a millisecond. */
export const longestPeriod = 200

/** How to make an indicator from its numbers, by name. */
export type IndicatorKind = {
  parameters: Readonly<Record<string, Parameter>>
  make(numbers: Readonly<Record<string, number>>): Indicator
}

/** What an indicator of the library takes for each candle. */
type Fed<Input> = { add(input: Input): unknown }
type Numbers<Names extends string> = Record<Names, number>
/** The usual values; a number is a period. */
type Usual<Names extends string> = Record<Names, number | Parameter>

const factor = (usual: number): Parameter => ({ kind: 'factor', usual, most: 1e12 })
const period = (usual: number, most = longestPeriod): Parameter => ({ kind: 'period', usual, most })

function kindOf<Names extends string, Input>(
  usual: Usual<Names>,
  make: (numbers: Numbers<Names>) => Fed<Input>,
  inputOf: (candle: LibraryCandle) => Input,
): IndicatorKind {
  const parameters = Object.fromEntries(
    Object.entries<number | Parameter>(usual).map(([name, value]) => [
      name,
      typeof value === 'number' ? period(value) : value,
    ]),
  )
  return {
    parameters,
    make: (numbers) => {
      const indicator = make(numbers as Numbers<Names>)
      return { add: (candle) => indicator.add(inputOf(candle)) }
    },
  }
}

const ofCloses = <Names extends string>(usual: Usual<Names>, make: (n: Numbers<Names>) => Fed<number>) =>
  kindOf(usual, make, ({ close }) => close)
const ofVolumes = <Names extends string>(usual: Usual<Names>, make: (n: Numbers<Names>) => Fed<number>) =>
  kindOf(usual, make, ({ volume }) => volume)
const ofCandles = <Names extends string>(
  usual: Usual<Names>,
  make: (n: Numbers<Names>) => Fed<LibraryCandle>,
) => kindOf(usual, make, (candle) => candle)

/**
 * All indicators of the library, under its names, with the names of its parameters. The defaults are those of the library
 * if it has some, or else usual ones.
 */
export const allIndicators: Readonly<Record<string, IndicatorKind>> = {
  AC: ofCandles({ shortAO: 5, longAO: 34, signalInterval: 5 }, (n) => {
    return new ta.AC(n.shortAO, n.longAO, n.signalInterval)
  }),
  AD: ofCandles({}, () => new ta.AD()),
  ADOSC: ofCandles({ fastPeriod: 3, slowPeriod: 10 }, (n) => new ta.ADOSC(n)),
  ADX: ofCandles({ interval: 14 }, (n) => new ta.ADX(n.interval)),
  ADXR: ofCandles({ interval: 14 }, (n) => new ta.ADXR(n.interval)),
  ALMA: ofCloses({ interval: 9, offset: factor(0.85), sigma: factor(6) }, (n) => {
    return new ta.ALMA(n.interval, n.offset, n.sigma)
  }),
  AO: ofCandles({ shortInterval: 5, longInterval: 34 }, (n) => new ta.AO(n.shortInterval, n.longInterval)),
  APO: ofCloses({ fastPeriod: 12, slowPeriod: 26 }, (n) => new ta.APO(n)),
  ATR: ofCandles({ interval: 14 }, (n) => new ta.ATR(n.interval)),
  AccelerationBands: ofCandles({ interval: 20, width: factor(4) }, (n) => {
    return new ta.AccelerationBands(n.interval, n.width)
  }),
  AccumulativeSwingIndex: ofCandles({ limitMove: factor(300) }, (n) => {
    return new ta.AccumulativeSwingIndex(n.limitMove)
  }),
  Alligator: ofCandles(
    {
      ...{ jawInterval: 13, jawShift: 8, teethInterval: 8, teethShift: 5 },
      ...{ lipsInterval: 5, lipsShift: 3 },
    },
    (n) => new ta.Alligator(n),
  ),
  Aroon: ofCandles({ interval: 14 }, (n) => new ta.Aroon(n.interval)),
  BOP: ofCandles({}, () => new ta.BOP()),
  BollingerBands: ofCloses({ interval: 20, deviationMultiplier: factor(2) }, (n) => {
    return new ta.BollingerBands(n.interval, n.deviationMultiplier)
  }),
  BollingerBandsWidth: ofCloses({ interval: 20, deviationMultiplier: factor(2) }, (n) => {
    return new ta.BollingerBandsWidth(new ta.BollingerBands(n.interval, n.deviationMultiplier))
  }),
  BreakoutBarLow: ofCandles({ lookback: 5 }, (n) => new ta.BreakoutBarLow(n)),
  CCI: ofCandles({ interval: 20 }, (n) => new ta.CCI(n.interval)),
  CFO: ofCloses({ interval: 14 }, (n) => new ta.CFO(n.interval)),
  CG: ofCloses({ interval: 10, signalInterval: 20 }, (n) => new ta.CG(n.interval, n.signalInterval)),
  CHOP: ofCandles({ interval: 14 }, (n) => new ta.CHOP(n.interval)),
  CMF: ofCandles({ interval: 20 }, (n) => new ta.CMF(n.interval)),
  CMO: ofCloses({ interval: 14 }, (n) => new ta.CMO(n.interval)),
  CVI: ofCandles({ interval: 10 }, (n) => new ta.CVI(n.interval)),
  ChandeKrollStop: ofCandles({ interval: 10, multiplier: factor(1), stopInterval: 9 }, (n) => {
    return new ta.ChandeKrollStop(n)
  }),
  ChandelierExit: ofCandles({ interval: 22, multiplier: factor(3) }, (n) => new ta.ChandelierExit(n)),
  ConnorsRSI: ofCloses({ percentRankInterval: 100, rsiInterval: 3, streakRsiInterval: 2 }, (n) => {
    return new ta.ConnorsRSI(n)
  }),
  CoppockCurve: ofCloses({ longRocInterval: 14, shortRocInterval: 11, wmaInterval: 10 }, (n) => {
    return new ta.CoppockCurve(n)
  }),
  DEMA: ofCloses({ interval: 20 }, (n) => new ta.DEMA(n.interval)),
  DMA: ofCloses({ short: 10, long: 50 }, (n) => new ta.DMA(n.short, n.long)),
  DPO: ofCloses({ interval: 20 }, (n) => new ta.DPO(n.interval)),
  DX: ofCandles({ interval: 14 }, (n) => new ta.DX(n.interval)),
  DeMarker: ofCandles({ interval: 14 }, (n) => new ta.DeMarker(n)),
  DerivativeOscillator: ofCloses(
    { rsiInterval: 14, ema1Interval: 5, ema2Interval: 3, smaInterval: 9 },
    (n) => new ta.DerivativeOscillator(n),
  ),
  DisparityIndex: ofCloses({ interval: 14 }, (n) => new ta.DisparityIndex(n.interval)),
  DonchianChannels: ofCandles({ interval: 20 }, (n) => new ta.DonchianChannels(n.interval)),
  EMA: ofCloses({ interval: 20 }, (n) => new ta.EMA(n.interval)),
  EMV: ofCandles({ interval: 14, scale: factor(100_000_000) }, (n) => new ta.EMV(n.interval, n.scale)),
  ER: ofCandles({ interval: 10 }, (n) => new ta.ER(n.interval)),
  ElderRay: ofCandles({ interval: 13 }, (n) => new ta.ElderRay(n.interval)),
  FRAMA: ofCloses({ interval: 16 }, (n) => new ta.FRAMA(n.interval)),
  FisherTransform: ofCandles({ interval: 10 }, (n) => new ta.FisherTransform(n.interval)),
  ForceIndex: ofCandles({ interval: 13 }, (n) => new ta.ForceIndex(n.interval)),
  GAPO: ofCandles({ interval: 14 }, (n) => new ta.GAPO(n.interval)),
  GannHiLo: ofCandles({ highInterval: 13, lowInterval: 21 }, (n) => new ta.GannHiLo(n)),
  GatorOscillator: ofCandles(
    {
      ...{ jawInterval: 13, jawShift: 8, teethInterval: 8, teethShift: 5 },
      ...{ lipsInterval: 5, lipsShift: 3 },
    },
    (n) => new ta.GatorOscillator(n),
  ),
  HMA: ofCloses({ interval: 20 }, (n) => new ta.HMA(n.interval)),
  HTTrendline: ofCloses({}, () => new ta.HTTrendline()),
  HigherLowTrail: ofCandles({ lookback: 5 }, (n) => new ta.HigherLowTrail(n)),
  IBS: ofCandles({}, () => new ta.IBS()),
  IMI: ofCandles({ interval: 14 }, (n) => new ta.IMI(n.interval)),
  IQR: ofCloses({ interval: 20 }, (n) => new ta.IQR(n.interval)),
  IchimokuCloud: ofCandles({ conversionInterval: 9, baseInterval: 26, spanBInterval: 52 }, (n) => {
    return new ta.IchimokuCloud(n)
  }),
  KAMA: ofCloses({ interval: 10 }, (n) => new ta.KAMA(n.interval)),
  KST: ofCloses(
    {
      ...{ roc1: 10, roc2: 15, roc3: 20, roc4: 30 },
      ...{ sma1: 10, sma2: 10, sma3: 10, sma4: 15 },
    },
    (n) => new ta.KST(n),
  ),
  KVO: ofCandles({ shortInterval: 34, longInterval: 55 }, (n) => {
    return new ta.KVO(n.shortInterval, n.longInterval)
  }),
  KeltnerChannels: ofCandles({ emaInterval: 20, atrInterval: 10, multiplier: factor(2) }, (n) => {
    return new ta.KeltnerChannels(n)
  }),
  LaguerreRSI: ofCloses({ gamma: factor(0.5) }, (n) => new ta.LaguerreRSI(n)),
  LinearRegression: ofCloses({ interval: 14 }, (n) => new ta.LinearRegression(n.interval)),
  MACD: ofCloses({ short: 12, long: 26, signal: 9 }, (n) => {
    return new ta.MACD(new ta.EMA(n.short), new ta.EMA(n.long), new ta.EMA(n.signal))
  }),
  MAD: ofCloses({ interval: 20 }, (n) => new ta.MAD(n.interval)),
  MAMA: ofCloses({ fastLimit: factor(0.5), slowLimit: factor(0.05) }, (n) => new ta.MAMA(n)),
  MFI: ofCandles({ interval: 14 }, (n) => new ta.MFI(n.interval)),
  MOM: ofCloses({ interval: 10 }, (n) => new ta.MOM(n.interval)),
  MarketFacilitationIndex: ofCandles({}, () => new ta.MarketFacilitationIndex()),
  MassIndex: ofCandles({ interval: 25 }, (n) => new ta.MassIndex(n.interval)),
  McGinleyDynamic: ofCloses({ interval: 14 }, (n) => new ta.McGinleyDynamic(n.interval)),
  NATR: ofCandles({ interval: 14 }, (n) => new ta.NATR(n.interval)),
  NVI: ofCandles({}, () => new ta.NVI()),
  OBV: ofCandles({ interval: 20 }, (n) => new ta.OBV(n.interval)),
  PGO: ofCandles({ interval: 14 }, (n) => new ta.PGO(n)),
  PMO: ofCloses({ smoothing1: 35, smoothing2: 20, signalInterval: 10 }, (n) => new ta.PMO(n)),
  PPO: ofCloses({ fastPeriod: 12, slowPeriod: 26 }, (n) => new ta.PPO(n)),
  PSAR: ofCandles({ accelerationStep: factor(0.02), accelerationMax: factor(0.2) }, (n) => new ta.PSAR(n)),
  PSL: ofCloses({ interval: 12 }, (n) => new ta.PSL(n)),
  PVI: ofCandles({}, () => new ta.PVI()),
  PVO: ofVolumes({ fastPeriod: 12, slowPeriod: 26 }, (n) => new ta.PVO(n)),
  PVT: ofCandles({}, () => new ta.PVT()),
  PercentB: ofCloses({ interval: 20, deviationMultiplier: factor(2) }, (n) => new ta.PercentB(n)),
  Period: ofCloses({ interval: 20 }, (n) => new ta.Period(n.interval)),
  PremierStochastic: ofCandles({ stochInterval: 8, smoothInterval: 3 }, (n) => new ta.PremierStochastic(n)),
  ProjectionOscillator: ofCandles({ interval: 14 }, (n) => new ta.ProjectionOscillator(n)),
  QQE: ofCloses({ rsiInterval: 14, smoothInterval: 5, fastFactor: factor(4.236) }, (n) => new ta.QQE(n)),
  Qstick: ofCandles({ interval: 8 }, (n) => new ta.Qstick(n.interval)),
  // Its time grows with the square of its period.
  RCI: ofCloses({ interval: period(9, 50) }, (n) => new ta.RCI(n.interval)),
  REI: ofCandles({ interval: 8 }, (n) => new ta.REI(n.interval)),
  RMA: ofCloses({ interval: 14 }, (n) => new ta.RMA(n.interval)),
  RMI: ofCloses({ interval: 14, momentum: 5 }, (n) => new ta.RMI(n)),
  ROC: ofCloses({ interval: 12 }, (n) => new ta.ROC(n.interval)),
  RSI: ofCloses({ interval: 14 }, (n) => new ta.RSI(n.interval)),
  RVOL: ofVolumes({ period: 20 }, (n) => new ta.RVOL(n.period)),
  RandomWalkIndex: ofCandles({ interval: 14 }, (n) => new ta.RandomWalkIndex(n.interval)),
  RelativeVigorIndex: ofCandles({ interval: 10 }, (n) => new ta.RelativeVigorIndex(n.interval)),
  RelativeVolatilityIndex: ofCloses({ interval: 14, stddevInterval: 10 }, (n) => {
    return new ta.RelativeVolatilityIndex(n)
  }),
  RogersSatchellVolatility: ofCandles({ interval: 14 }, (n) => new ta.RogersSatchellVolatility(n.interval)),
  SMA: ofCloses({ interval: 20 }, (n) => new ta.SMA(n.interval)),
  SMA15: ofCloses({ interval: 15 }, (n) => new ta.SMA15(n.interval)),
  SMI: ofCandles({ interval: 10, smooth1: 3, smooth2: 3 }, (n) => new ta.SMI(n)),
  STC: ofCloses({ fastInterval: 23, slowInterval: 50, cycleInterval: 10 }, (n) => new ta.STC(n)),
  StochasticOscillator: ofCandles({ kPeriod: 14, kSlowingPeriod: 3, dPeriod: 3 }, (n) => {
    return new ta.StochasticOscillator(n)
  }),
  StochasticRSI: ofCloses({ interval: 14 }, (n) => new ta.StochasticRSI(n.interval)),
  SuperSmoother: ofCloses({ interval: 10 }, (n) => new ta.SuperSmoother(n.interval)),
  SuperTrend: ofCandles({ interval: 10, multiplier: factor(3) }, (n) => new ta.SuperTrend(n)),
  SwingHigh: ofCandles({ lookback: 5 }, (n) => new ta.SwingHigh(n)),
  SwingIndex: ofCandles({ limitMove: factor(300) }, (n) => new ta.SwingIndex(n.limitMove)),
  SwingLow: ofCandles({ lookback: 5 }, (n) => new ta.SwingLow(n)),
  T3: ofCloses({ interval: 5, volumeFactor: factor(0.7) }, (n) => new ta.T3(n.interval, n.volumeFactor)),
  TDS: ofCloses({}, () => new ta.TDS()),
  TEMA: ofCloses({ interval: 20 }, (n) => new ta.TEMA(n.interval)),
  TR: ofCandles({}, () => new ta.TR()),
  TRIMA: ofCloses({ interval: 20 }, (n) => new ta.TRIMA(n.interval)),
  TRIX: ofCloses({ interval: 15 }, (n) => new ta.TRIX(n.interval)),
  TSI: ofCloses({ longPeriod: 25, shortPeriod: 13 }, (n) => new ta.TSI(n)),
  TTMSqueeze: ofCandles(
    {
      ...{ bbInterval: 20, bbMultiplier: factor(2) },
      ...{ kcInterval: 20, kcMultiplier: factor(1.5) },
    },
    (n) => new ta.TTMSqueeze(n),
  ),
  UlcerIndex: ofCloses({ interval: 14 }, (n) => new ta.UlcerIndex(n.interval)),
  UltimateOscillator: ofCandles({ shortPeriod: 7, mediumPeriod: 14, longPeriod: 28 }, (n) => {
    return new ta.UltimateOscillator(n)
  }),
  VHF: ofCloses({ interval: 28 }, (n) => new ta.VHF(n.interval)),
  VIDYA: ofCloses({ interval: 14 }, (n) => new ta.VIDYA(n.interval)),
  VROC: ofVolumes({ interval: 14 }, (n) => new ta.VROC(n.interval)),
  VWAP: ofCandles({}, () => new ta.VWAP()),
  VWMA: ofCandles({ interval: 20 }, (n) => new ta.VWMA(n.interval)),
  VolatilityStop: ofCandles({ interval: 5, multiplier: factor(3.5) }, (n) => new ta.VolatilityStop(n)),
  VortexIndicator: ofCandles({ interval: 14 }, (n) => new ta.VortexIndicator(n.interval)),
  WAD: ofCandles({}, () => new ta.WAD()),
  WMA: ofCloses({ interval: 20 }, (n) => new ta.WMA(n.interval)),
  WSMA: ofCloses({ interval: 14 }, (n) => new ta.WSMA(n.interval)),
  WaddahAttarExplosion: ofCandles(
    {
      ...{ shortInterval: 20, longInterval: 40, sensitivity: factor(150) },
      ...{ bandsInterval: 20, bandsMultiplier: factor(2) },
      ...{ atrInterval: 100, deadZoneMultiplier: factor(3.7) },
    },
    (n) => new ta.WaddahAttarExplosion(n),
  ),
  WaveTrend: ofCandles({ channelInterval: 10, averageInterval: 21, smoothingInterval: 4 }, (n) => {
    return new ta.WaveTrend(n)
  }),
  WilliamsR: ofCandles({ interval: 14 }, (n) => new ta.WilliamsR(n.interval)),
  ZLEMA: ofCloses({ interval: 20 }, (n) => new ta.ZLEMA(n.interval)),
  ZigZag: ofCandles({ deviation: factor(5) }, (n) => new ta.ZigZag(n)),
}
