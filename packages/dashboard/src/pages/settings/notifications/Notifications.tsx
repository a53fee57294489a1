import { Section } from '../../../parts/Page.tsx'
import { Tabs } from '../../../parts/Tabs.tsx'
import { useAddress } from '../address.ts'
import styles from '../settings.module.css'
import { Callbacks } from './Callbacks.tsx'
import { Chat } from './Chat.tsx'
import { Endpoints } from './Endpoints.tsx'
import { History } from './History.tsx'
import { OneNotification } from './OneNotification.tsx'

/** Where the service sends what happens, and what became of each message. */
export function Notifications() {
  const [{ tab, id }, go] = useAddress('notifications')
  return (
    <Section title="Notifications">
      <p className={styles.why}>
        The service sends events as they happen: to Telegram, Discord, Slack, ntfy, Pushover or your mail, or
        as JSON to an address of yours, signed as Standard Webhooks does.
      </p>
      <Tabs
        label="Notifications"
        chosen={tab === 'history' || tab === 'callbacks' || tab === 'chat' ? tab : 'endpoints'}
        onChoose={(chosen) => go(chosen === 'endpoints' ? {} : { tab: chosen })}
        tabs={[
          { id: 'endpoints', name: 'Endpoints', content: <Endpoints /> },
          { id: 'chat', name: 'Telegram bot', content: <Chat /> },
          { id: 'callbacks', name: 'Callbacks', content: <Callbacks /> },
          {
            id: 'history',
            name: 'History',
            content: id === undefined ? <History /> : <OneNotification key={id} id={id} />,
          },
        ]}
      />
    </Section>
  )
}
