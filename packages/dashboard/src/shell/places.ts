import {
  Activity,
  Bot,
  FileCode2,
  FlaskConical,
  Layers,
  LayoutDashboard,
  type LucideIcon,
  Radio,
  Rocket,
  Settings,
  ShieldQuestion,
  Sparkles,
  UserCog,
  Webhook,
} from 'lucide-react'

/** A page that the rail leads to. */
export type Place = {
  to: string
  name: string
  icon: LucideIcon
  /** Whether it is in the bar at the bottom of a phone. All others are in the sheet *More* there. */
  isOnPhone: boolean
  /** Whether only administrators have it. */
  isForAdministrators?: boolean
  /** Whether users can take it out of the rail. */
  canHide?: boolean
}

/** In the order of the rail. */
export const places: readonly Place[] = [
  { to: '/start', name: 'First steps', icon: Rocket, isOnPhone: false, canHide: true },
  { to: '/overview', name: 'Overview', icon: LayoutDashboard, isOnPhone: true },
  { to: '/strategies', name: 'Strategies', icon: FileCode2, isOnPhone: false },
  { to: '/ai-strategies', name: 'AI strategies', icon: Sparkles, isOnPhone: false },
  { to: '/backtests', name: 'Backtests', icon: FlaskConical, isOnPhone: false },
  { to: '/webhooks', name: 'Webhooks', icon: Webhook, isOnPhone: false },
  { to: '/runs', name: 'Runs', icon: Activity, isOnPhone: true },
  { to: '/signals', name: 'Signals', icon: Radio, isOnPhone: false },
  { to: '/approvals', name: 'Approvals', icon: ShieldQuestion, isOnPhone: true },
  { to: '/bots', name: 'Bots', icon: Bot, isOnPhone: true },
  { to: '/trading', name: 'Positions', icon: Layers, isOnPhone: false },
  { to: '/settings', name: 'Settings', icon: Settings, isOnPhone: false },
  {
    to: '/administration',
    name: 'Administration',
    icon: UserCog,
    isOnPhone: false,
    isForAdministrators: true,
  },
]
