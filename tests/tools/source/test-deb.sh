#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds, installs, uses and purges a tarball's packages in minimal Debian systems: test-deb.sh VERSION TARBALL ROOTS [RELEASE...]
# tests/tools/source/roots.sh fills ROOTS. A release is built in ROOTS/build-RELEASE, which keeps the build dependencies
# for the next run. Unavailable packages, or missing permission for chroot: skipped, with the reason.
set -u

version=$1 tarball=$(realpath "$2")
mkdir -p "$3"
roots=$(realpath "$3")
shift 3
[ $# -gt 0 ] || set -- bookworm trixie
here=$(realpath "$(dirname "$0")")
skip() { echo "skip deb $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "not root"
unshare -m true 2>/dev/null || skip "no mount namespaces"

# inside ROOT COMMAND... - runs it there, with the kernel's file systems, in a mount namespace
inside() {
	unshare -m --propagation private bash -c 'root=$1; shift; mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" &&
		mount --rbind /sys "$root/sys" && cp /etc/resolv.conf "$root/etc/" &&
		exec chroot "$root" env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
		${https_proxy:+"https_proxy=$https_proxy"} ${http_proxy:+"http_proxy=$http_proxy"} "$@"' _ "$@"
}
failed=0
verdict() { # NAME STATUS LOG
	if [ "$2" = 0 ]; then
		echo "ok deb/$1"
	else
		echo "not ok deb/$1"
		tail -n 25 "$3" | sed 's/^/    # /'
		failed=1
	fi
}

for release; do
	log=$roots/deb-$release.log
	"$here/roots.sh" "$roots" "$release" || { echo "skip deb/$release the root folder is missing"; continue; }
	build=$roots/build-$release use=$roots/use-$release
	[ -d "$build" ] || { cp -a "$roots/$release/." "$build.new" && mv "$build.new" "$build"; }
	rm -rf --one-file-system "$build/root/deb" "$use"
	mkdir -p "$build/root/deb/build"
	tar -C "$build/root/deb" --strip-components=1 -xf "$tarball"
	cp "$tarball" "$build/root/deb/build/dist.tar.xz"
	inside "$build" sh -ec 'cd /root/deb; apt-get update -q; apt-get install -q -y --no-install-recommends dpkg-dev debhelper lintian fakeroot
		ln -sfn doc/packaging/debian debian; apt-get build-dep -q -y --no-install-recommends -P nocheck .; rm debian' >"$log" 2>&1 ||
		{ echo "skip deb/$release its packages cannot be had: $(tail -n 1 "$log")"; continue; }
	inside "$build" env DEB_BUILD_OPTIONS="nocheck parallel=${JOBS:-2}" DEB_BUILD_PROFILES=nocheck \
		/root/deb/doc/packaging/deb.sh "$version" /root/deb/build/dist.tar.xz /root/deb/out >"$log" 2>&1
	verdict "${release}_builds_and_lintian_finds_nothing" $? "$log"
	ls "$build"/root/deb/out/cdict_*.deb >/dev/null 2>&1 || continue

	cp -a "$roots/$release/." "$use"
	mkdir -p "$use/root/deb"
	cp "$build"/root/deb/out/*.deb "$use/root/deb"
	cp "$here/../../data/kvm-small.data" "$use/root/run.data"
	inside "$use" sh -ec 'cd /root/deb; rm -f ./*-dbgsym*; apt-get update -q; dpkg --get-selections | sort >/root/before
		find / -xdev -not -path "/root/*" -not -path "/var/*" -not -path "/proc/*" -not -path "/sys/*" | sort >/root/files
		apt-get install -q -y --no-install-recommends ./*.deb linux-perf gcc libc6-dev pkgconf libcairo2 man-db' >"$log" 2>&1
	verdict "${release}_installs" $? "$log"
	inside "$use" sh -exc 'cd /root
		cdict --version | grep -F "cdict '"$version"'"
		cdict convert -q -i run.data -o run.cdict
		cdict stats run.cdict | grep -q vcpu
		cdict heatmap run.cdict --view switches -o run.png
		cdict-host convert -q -i run.data -o - | cmp - run.cdict
		man -P cat cdict-record | grep -q -- --trigger
		man -P cat cdict-host | grep -q static
		bash -c ". /usr/share/bash-completion/completions/cdict; complete -p cdict"
		perf script --list-dlfilters | grep -q cdict-dlfilter
		perf script --dlfilter cdict-dlfilter.so --dlarg out=plugin.cdict -i run.data
		for text in guide figures query scale; do [ -s /usr/share/doc/cdict/$text.md ]; done
		[ -s /usr/share/doc/cdict/pictures/switches.svg ] && [ -s /usr/share/cdict/grafana.json ]
		python3 -c "import cdict; assert len(cdict.open(\"run.cdict\").table(\"tasks\")) == 32"
		cdict info -q plugin.cdict | grep -q "^events  *12,004"
		printf "%s\n" "#include <cdict/version.h>" "int main(void) { return !cdict_version(); }" >a.c
		gcc a.c -o a $(pkg-config --cflags --libs cdict); ./a
		gcc -static a.c -o a $(pkg-config --static --cflags --libs cdict); ./a' >"$log" 2>&1
	verdict "${release}_program_plugin_library_and_pages_work" $? "$log"
	cat >"$use/root/flight.sh" <<-'END'
		# The service's package: from one without it, to it, to a later one, removed, purged.
		cd /root
		repack() { # VERSION COMMAND - a package like the built one, changed in ./p
			rm -rf p
			dpkg-deb -R deb/cdict-host_*.deb p
			sed -i "s/^Version: .*/Version: $1/" p/DEBIAN/control
			sh -exc "$2"
			find p -type f -not -path "p/DEBIAN/*" -printf "%P\n" | (cd p && xargs md5sum) >p/DEBIAN/md5sums
			dpkg-deb --root-owner-group -b p "$1.deb"
		}
		conf=/etc/cdict/flight.conf
		apt-get purge -q -y cdict-host
		apt-get install -q -y --no-install-recommends systemd
		repack 0.0.1 "rm -r p/etc p/usr/lib/systemd p/lib/systemd p/DEBIAN/conffiles p/DEBIAN/p* || :"
		repack 99 "sed -i s/2G/3G/ p$conf"
		dpkg -i 0.0.1.deb
		[ ! -e $conf ]
		dpkg -i deb/cdict-host_*.deb
		cdict-host flight check
		[ "$(systemctl is-enabled cdict-flight || :)" = disabled ]
		systemd-analyze verify --man=no cdict-flight.service
		systemd-analyze security --offline=true --threshold=25 cdict-flight.service
		systemctl enable cdict-flight
		sed -i 's/^\t#task/\ttask/; s/max-size = 2G/max-size = 1G/' $conf
		dpkg --force-confdef --force-confold -i 99.deb
		[ "$(systemctl is-enabled cdict-flight)" = enabled ]
		grep -q 'max-size = 1G' $conf
		cdict-host flight check
		mkdir -p /var/lib/cdict
		cp run.cdict /var/lib/cdict/20261128T015903.120Z_web01_latency-31.2ms.cdict
		cdict-host flight list | grep -q web01
		dpkg -r cdict-host
		[ -e $conf ] && [ -e /var/lib/cdict/*web01* ]
		dpkg -P cdict-host
		[ ! -e /etc/cdict ] && [ ! -e /var/lib/cdict ]
		! find / -xdev -name '*cdict-flight*' -not -path '/proc/*' -not -path '/sys/*' | grep .
		dpkg -i deb/cdict-host_*.deb
	END
	inside "$use" bash -ex /root/flight.sh >"$log" 2>&1
	verdict "${release}_service_is_installed_disabled_upgraded_and_purged" $? "$log"
	cat >"$use/root/service.sh" <<-'END'
		# The service under its own systemd: started, killed, refused, upgraded, removed and purged.
		cd /root
		conf=/etc/cdict/flight.conf
		state() { systemctl show -P "$1" cdict-flight; }
		# within SECONDS COMMAND... - until it succeeds
		within() {
			local n=$(($1 * 5))
			shift
			until "$@"; do
				[ $((n -= 1)) -gt 0 ]
				sleep 0.2
			done 2>/dev/null
		}
		restarted() { [ "$(state ActiveState)" = active ] && [ "$(state MainPID)" != "$pid" ]; }
		runs() { grep -lx cdict-host /proc/[0-9]*/comm; }
		dumped() { ls /var/lib/cdict/*_request.cdict; }
		dpkg -P cdict-host || :
		dpkg -i deb/cdict-host_*.deb
		[ "$(state ActiveState)" = inactive ]
		systemctl start cdict-flight
		pid=$(state MainPID)
		grep -q '^NoNewPrivs:.1' /proc/$pid/status
		limit=$(cat /sys/fs/cgroup/{memory/,}system.slice/cdict-flight.service/memory.{limit_in_bytes,max} 2>/dev/null || :)
		[ "${limit:-805306368}" = 805306368 ]
		systemctl kill -s USR2 cdict-flight
		within 20 dumped
		cdict-host info -q --verify /var/lib/cdict/*_request.cdict | grep '^state: whole'
		dump=$(ls /var/lib/cdict/*_request.cdict)

		kill -9 "$pid"
		within 60 restarted
		[ "$(state NRestarts)" = 1 ] && [ -e "$dump" ]
		for i in 1 2 3; do systemctl restart cdict-flight; done

		# Refused: systemctl fails, and there is no second attempt.
		sed -i.good '$atrigger = late' $conf
		if systemctl restart cdict-flight; then exit 1; fi
		sleep 11
		[ "$(state ActiveState)" = failed ] && [ "$(state NRestarts)" = 0 ]
		journalctl -u cdict-flight | grep "flight.conf:[0-9]*: option trigger takes"
		mv $conf.good $conf
		systemctl reset-failed cdict-flight
		systemctl start cdict-flight

		pid=$(state MainPID)
		dpkg --force-confold -i 99.deb # an upgrade
		restarted
		dpkg -r cdict-host
		[ "$(state ActiveState)" != active ]
		if runs; then exit 1; fi
		[ -e "$dump" ]
		dpkg -i deb/cdict-host_*.deb
		systemctl start cdict-flight
		dpkg -P cdict-host
		if runs || ls /var/lib/cdict /etc/cdict 2>/dev/null; then exit 1; fi
		dpkg -i deb/cdict-host_*.deb
	END
	"$here/boot.sh" "$use" /root/service.sh >"$log" 2>&1
	status=$?
	if [ $status = 77 ]; then
		echo "skip deb/${release}_service $(tail -n 1 "$log")"
	else
		verdict "${release}_service_runs_restarts_and_ends_with_its_package" $status "$log"
	fi
	inside "$use" sh -exc 'cd /root; apt-get purge -q -y cdict cdict-host cdict-perf-plugin libcdict0 libcdict-dev
		! find / -xdev -name "*cdict*" -not -path "/root/*" -not -path "/proc/*" -not -path "/sys/*" -not -path "/var/log/*" \
			-not -path "/var/cache/*" | grep .' >"$log" 2>&1
	verdict "${release}_purge_leaves_nothing" $? "$log"
	rm -rf --one-file-system "$use" "$use.console"
done
exit $failed
