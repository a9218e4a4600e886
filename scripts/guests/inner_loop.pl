# inner_loop.pl < DISASSEMBLY: how many instructions one pass of mm1's inner loop
# takes: three 16-bit loads, a product and a store, up to the branch back.
my (@code, %found);
while (<STDIN>) {
    push @code, [hex $1, $2, $3] if /^\s*([0-9a-f]+):\s+(\S+)\s*(.*)/;
}
for my $end (0 .. $#code) {
    my ($address, $name, $rest) = @{ $code[$end] };
    next unless $name =~ /^(b\w*|b\.\w+|cbn?z|tbn?z)$/ && $rest =~ /\b([0-9a-f]+) </;
    my $start = hex $1;
    next if $start >= $address || $start < $address - 400;
    my @body = grep { $_->[0] >= $start && $_->[0] < $address } @code[($end > 100 ? $end - 100 : 0) .. $end];
    my $count = sub { my $pattern = shift; scalar grep { $_->[1] =~ /^($pattern)$/ } @body };
    my $stores = $count->('sh|strh') or next;
    next if $count->('b\w*|b\.\w+|cbn?z|tbn?z|j\w*|ret');
    next if $count->('lhu?|ldrs?h') != 3 * $stores || $count->('mulw?|madd') != $stores;
    $found{ (@body + 1) / $stores } = 1;
}
my @found = keys %found;
die "inner_loop.pl: " . @found . " loops look like mm1's, not one\n" if @found != 1;
print "$found[0]\n";
