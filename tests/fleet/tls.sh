#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# rediss://: a TLS-only server that requires a client certificate; a server whose certificate is not trusted.
# needs: python3 jq redis-server redis-cli openssl
# timeout: 300
set -u
. "$TOP/tests/oracle/_lib.sh"
. "$TOP/tests/fleet/_lib/redis.sh"
cd "$(mktemp -d)" || exit 1

message=$("$CDICT" job list --store rediss://127.0.0.1:1 2>&1)
case $message in
*'built without hiredis'*)
	skip tls 'built without hiredis'
	exit
	;;
*'hiredis 1.0 or later'*)
	verdict missing_tls_is_reported "$(wc -l <<<"$message" | grep -vx 1)"
	skip tls 'built with a hiredis that has no TLS'
	exit
	;;
esac
# sign NAME - creates NAME.key and NAME.crt
sign() {
	openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -subj "/CN=$1" -out "$1.csr" &&
		openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out "$1.crt"
}
{ openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -subj /CN=ca -days 2 -out ca.crt && sign server && sign client; } >certs.log 2>&1 || cat certs.log
port=$(free_port)
redis-server --port 0 --tls-port "$port" --bind 127.0.0.1 --save '' --tls-cert-file server.crt --tls-key-file server.key --tls-ca-cert-file ca.crt >log 2>&1 &
servers+=($!)
for _ in $(seq 100); do
	redis-cli --tls -p "$port" --cacert ca.crt --cert client.crt --key client.key ping 2>/dev/null | grep -q PONG && break
	sleep 0.05
done
captures
export CDICT_STORE=rediss://127.0.0.1:$port
trusted() { SSL_CERT_FILE=$PWD/ca.crt CDICT_STORE_CERT=$PWD/client.crt CDICT_STORE_KEY=$PWD/client.key "$@"; }
verdict tables_by_tls "$(
	trusted "$CDICT" job create 2001
	trusted "$CDICT" push -q --job 2001 a.cdict b.cdict || echo "push: status $?"
	trusted sums 2001 a.cdict b.cdict || echo "sums: status $?"
	trusted "$CDICT" job remove 2001
)"
# fails WHY COMMAND... - the command fails for that reason, with one line that has the server's name
fails() {
	local rc why=$1
	shift
	"$@" >out 2>err
	rc=$?
	[ $rc = 1 ] && [ ! -s out ] || { echo "status $rc"; cat out; }
	[ "$(wc -l <err)" = 1 ] && grep -q "rediss://127.0.0.1:$port: .*$why" err || cat err
}
verdict server_with_an_untrusted_certificate "$(fails 'certificate verify failed' "$CDICT" job list)"
verdict client_without_a_certificate "$(fails '.' env SSL_CERT_FILE="$PWD/ca.crt" "$CDICT" job list)"
verdict missing_client_certificate_file "$(fails 'client' env SSL_CERT_FILE="$PWD/ca.crt" CDICT_STORE_CERT=none CDICT_STORE_KEY=none "$CDICT" job list)"
verdict server_without_tls "$(
	plain=$(free_port)
	start_redis "$plain" plain && CDICT_STORE=rediss://127.0.0.1:$plain port=$plain fails TLS env "$CDICT" job list
)"
